'use client';

import type { CardObject } from '#src/api/schemas/card.ts';
import { defaultCard, type Month } from '../cards/card-format.ts';
import { useCards } from '../cards/card-queries.ts';
import { PaymentCard } from '../cards/payment-card.tsx';
import { Empty } from '../ui/panel.tsx';

export function DefaultCard({ initialCards, now }: { initialCards: CardObject[]; now: Month }) {
  const card = defaultCard(useCards(initialCards).data, now);
  return (
    <section aria-label="Default card">
      {card ? (
        <PaymentCard card={card} now={now} isDefault />
      ) : (
        <Empty title="No default card">Add a card to pay your balance.</Empty>
      )}
    </section>
  );
}
