'use client';

import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CustomerResponse } from '#src/api/operations/get-customer.ts';
import type { CardObject } from '#src/api/schemas.ts';
import { ApiError, callApi } from '../api.ts';

export const cardsKey = ['cards'];

export function useCards(initialCards: CardObject[]) {
  return useQuery({
    queryKey: cardsKey,
    queryFn: async ({ signal }) =>
      (await callApi<CustomerResponse>('customers/detail', { signal })).customer.cards,
    initialData: initialCards,
  });
}

export type CardToRemove = {
  card: CardObject;
  idempotencyKey: string;
  /** An earlier attempt may have removed it. */
  isUncertain: boolean;
};

/** Optimistic: the card leaves the list immediately and comes back if it was not removed. */
export function useRemoveCard() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ card, idempotencyKey }: CardToRemove) => {
      try {
        await callApi(`payment/cards/${card.uuid}`, { method: 'DELETE', idempotencyKey });
      } catch (error) {
        // It was removed elsewhere.
        if (!(error instanceof ApiError && error.failure === 'not_found')) throw error;
      }
    },
    onMutate: async ({ card }) => {
      await client.cancelQueries({ queryKey: cardsKey });
      setCards(client, (cards) => cards.filter(({ id }) => id !== card.id));
    },
    onError: (_error, { card }) =>
      setCards(client, (cards) => [...cards.filter(({ id }) => id !== card.id), card]),
    onSettled: () => client.invalidateQueries({ queryKey: cardsKey }),
  });
}

export function setCards(client: QueryClient, change: (cards: CardObject[]) => CardObject[]): void {
  client.setQueryData<CardObject[]>(cardsKey, (cards) => change(cards ?? []));
}
