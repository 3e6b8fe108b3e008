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

type RemovalOptions = {
  onRemoved: (removal: CardToRemove) => void;
  onFailed: (error: unknown, removal: CardToRemove) => void;
};

/** Optimistic: the card leaves the list immediately and comes back if it was not removed. Removals can overlap. */
export function useRemoveCard({ onRemoved, onFailed }: RemovalOptions) {
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
    // Not as options of `mutate`, which are those of the latest removal only.
    onSuccess: (_result, removal) => onRemoved(removal),
    onError: (error, removal) => {
      const { card } = removal;
      setCards(client, (cards) => [...cards.filter(({ id }) => id !== card.id), card]);
      onFailed(error, removal);
    },
    onSettled: () => client.invalidateQueries({ queryKey: cardsKey }),
  });
}

export function setCards(client: QueryClient, change: (cards: CardObject[]) => CardObject[]): void {
  client.setQueryData<CardObject[]>(cardsKey, (cards) => change(cards ?? []));
}
