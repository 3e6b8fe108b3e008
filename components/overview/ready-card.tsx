'use client';

import type { CardObject } from '#contract/card.ts';
import { type Month, readyCard } from '../cards/card-facts.ts';
import { useCards } from '../cards/card-queries.ts';
import { PaymentCard } from '../cards/payment-card.tsx';
import { Empty } from '../ui/panel.tsx';

/** The card that what is owed would be paid with. */
export function ReadyCard({ initialCards, now }: { initialCards: CardObject[]; now: Month }) {
  const cards = useCards(initialCards).data;
  const card = readyCard(cards, now);
  if (card) return <PaymentCard card={card} now={now} isReady />;
  return (
    <Empty title={cards.length === 0 ? 'Nothing to pay with yet' : 'Every card has expired'}>
      The newest card that has not expired stands ready here.
    </Empty>
  );
}
