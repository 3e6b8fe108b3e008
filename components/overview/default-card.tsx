'use client';

import type { CardObject } from '#src/api/schemas/card.ts';
import { type Month, readyCard } from '../cards/card-format.ts';
import { useCards } from '../cards/card-queries.ts';
import { PaymentCard } from '../cards/payment-card.tsx';
import { Empty } from '../ui/panel.tsx';

/** The card that what is owed would be paid with. */
export function ReadyCard({ initialCards, now }: { initialCards: CardObject[]; now: Month }) {
  const cards = useCards(initialCards).data;
  const card = readyCard(cards, now);
  return (
    <section aria-label="Stands ready to pay">
      {card ? <PaymentCard card={card} now={now} isReady /> : <NoneReady hasCards={cards.length > 0} />}
    </section>
  );
}

function NoneReady({ hasCards }: { hasCards: boolean }) {
  return (
    <Empty title={hasCards ? 'Every card has expired' : 'Nothing to pay with yet'}>
      Once you add a card, it stands ready here.
    </Empty>
  );
}
