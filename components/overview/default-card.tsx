'use client';

import type { CardObject } from '#src/api/schemas/card.ts';
import { defaultCard, type Month } from '../cards/card-format.ts';
import { useCards } from '../cards/card-queries.ts';
import { PaymentCard } from '../cards/payment-card.tsx';
import { Empty } from '../ui/panel.tsx';

export function DefaultCard({ initialCards, now }: { initialCards: CardObject[]; now: Month }) {
  const cards = useCards(initialCards).data;
  const card = defaultCard(cards, now);
  return (
    <section aria-label="Stands ready to pay">
      {card ? <PaymentCard card={card} now={now} isDefault /> : <NoDefaultCard hasCards={cards.length > 0} />}
    </section>
  );
}

function NoDefaultCard({ hasCards }: { hasCards: boolean }) {
  return (
    <Empty title={hasCards ? 'Every card has expired' : 'Nothing to pay with yet'}>
      Once you add a card, it stands ready here.
    </Empty>
  );
}
