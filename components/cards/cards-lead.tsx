'use client';

import { expiredSentence } from './card-format.ts';
import { type CardsProps, useCards } from './card-queries.ts';

type CardsLeadProps = CardsProps & { cardsMax: number };

export function CardsLead({ initialCards, now, cardsMax }: CardsLeadProps) {
  const cards = useCards(initialCards);
  if (cards.length === 0) return 'The first card you add becomes your default for payments.';
  if (cards.length >= cardsMax)
    return `You have ${cards.length} cards, the maximum. Remove one before you add a card with another number.`;
  const expired = expiredSentence(cards, now);
  return expired
    ? `${expired} Add a new card so we can collect your next payment.`
    : 'Your newest unexpired card is your default for payments. To change it, add a card or remove the default.';
}
