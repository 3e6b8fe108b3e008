'use client';

import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AddCardRequest, AddCardResponse } from '#src/api/operations/add-card.ts';
import type { CardObject } from '#src/api/schemas/card.ts';
import type { CustomerResponse } from '#src/api/schemas/customer.ts';
import { ApiError, callApi } from '../api.ts';

const cardsKey = ['cards'];

/**
 * The customer's cards, kept fresh from the record.
 * @param initialCards as the server rendered them
 */
export function useCards(initialCards: CardObject[]) {
  return useQuery({
    queryKey: cardsKey,
    queryFn: async ({ signal }) =>
      (await callApi<CustomerResponse>('customers/detail', { signal })).customer.cards,
    initialData: initialCards,
  });
}

export type CardToAdd = { request: AddCardRequest; idempotencyKey: string };

/** Adds a card; a refused one is an answer, not an error. The list shows the card as soon as the service has it. */
export function useAddCard() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ request, idempotencyKey }: CardToAdd) =>
      callApi<AddCardResponse>('payment/cards', { method: 'POST', body: request, idempotencyKey }),
    onSuccess: async (answer) => {
      if (!answer.status) return;
      await client.cancelQueries({ queryKey: cardsKey });
      setCards(client, (cards) => [...cards.filter(({ id }) => id !== answer.card.id), answer.card]);
      // The same number with a new expiry takes the place of the old card, which only the service knows.
      void client.invalidateQueries({ queryKey: cardsKey });
    },
  });
}

export type CardToRemove = {
  card: CardObject;
  idempotencyKey: string;
  /** An earlier try may have removed it. */
  isUnsure: boolean;
};

/** Takes the card off the list at once, and puts it back when the service did not remove it. */
export function useRemoveCard() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ card, idempotencyKey }: CardToRemove) => {
      try {
        await callApi(`payment/cards/${card.uuid}`, { method: 'DELETE', idempotencyKey });
      } catch (error) {
        // Gone already, removed elsewhere: what was asked for is so.
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

function setCards(client: QueryClient, change: (cards: CardObject[]) => CardObject[]): void {
  client.setQueryData<CardObject[]>(cardsKey, (cards) => change(cards ?? []));
}
