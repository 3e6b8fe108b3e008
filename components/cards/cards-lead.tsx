'use client';

import type { CardObject } from '#src/api/schemas.ts';
import type { Month } from '#src/cards/default-card.ts';
import { areAllExpired } from './card-format.ts';
import { useCards } from './card-queries.ts';

type CardsLeadProps = { initialCards: CardObject[]; now: Month; cardsMax: number };

export function CardsLead({ initialCards, now, cardsMax }: CardsLeadProps) {
  const cards = useCards(initialCards);
  if (cards.length === 0) return 'The first card you add becomes your default for payments.';
  if (cards.length >= cardsMax)
    return `You have ${cards.length} cards, the maximum. Remove one before you add a card with another number.`;
  return areAllExpired(cards, now)
    ? 'All of your cards have expired. Add a new card so we can collect your next payment.'
    : 'Your newest unexpired card is your default for payments. To change it, add a card or remove the default.';
}
