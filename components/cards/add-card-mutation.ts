import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AddCardRequest, AddCardResponse } from '#src/api/operations/add-card.ts';
import { callApi } from '../api.ts';
import { cardsKey, setCards } from './card-queries.ts';

export type CardToAdd = { request: AddCardRequest; idempotencyKey: string };

/** A declined card is a response, not an error. */
export function useAddCard() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ request, idempotencyKey }: CardToAdd) =>
      callApi<AddCardResponse>('payment/cards', { method: 'POST', body: request, idempotencyKey }),
    onSuccess: async (response) => {
      if (!response.status) return;
      await client.cancelQueries({ queryKey: cardsKey });
      const { card: added, replaced } = response;
      setCards(client, (cards) => [
        ...cards
          .filter(({ uuid }) => uuid !== added.uuid && uuid !== replaced)
          .map((card) => ({ ...card, isDefault: card.isDefault && !added.isDefault })),
        added,
      ]);
      void client.invalidateQueries({ queryKey: cardsKey });
    },
  });
}
