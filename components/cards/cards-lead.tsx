'use client';

import type { CardObject } from '#src/api/schemas.ts';
import { useCards } from './card-queries.ts';

export function CardsLead({ initialCards }: { initialCards: CardObject[] }) {
  return useCards(initialCards).length === 0
    ? 'The first card you add becomes your default for payments.'
    : 'Your newest unexpired card is your default for payments. To change it, add a card or remove the default.';
}
