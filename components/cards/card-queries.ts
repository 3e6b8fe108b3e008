import {
  type QueryClient,
  useMutation,
  useMutationState,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { CustomerResponse } from '#src/api/operations/get-customer.ts';
import type { CardObject } from '#src/api/schemas.ts';
import type { Month } from '#src/cards/default-card.ts';
import { ApiError, callApi } from '../api.ts';
import { askBeforeLeaving } from './ask-before-leaving.ts';

/** Of the components that show a customer's cards. */
export type CardsProps = {
  /** As the page was rendered. */
  initialCards: CardObject[];
  now: Month;
};

export const cardsKey = ['cards'];

const removalKey = ['removeCard'];

/** @returns the cards without those that are being removed, which a refetch still finds */
export function useCards(initialCards: CardObject[]): CardObject[] {
  const { data } = useQuery({
    queryKey: cardsKey,
    queryFn: async ({ signal }) =>
      (await callApi<CustomerResponse>('customers/detail', { signal })).customer.cards,
    initialData: initialCards,
  });
  const removing = useMutationState({
    filters: { mutationKey: removalKey, status: 'pending' },
    select: ({ state }) => (state.variables as CardToRemove).card.id,
  });
  return data.filter(({ id }) => !removing.includes(id));
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

/** Optimistic: `useCards` leaves the card out until the response, and it comes back if it was not removed. Removals can overlap. */
export function useRemoveCard({ onRemoved, onFailed }: RemovalOptions) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: removalKey,
    mutationFn: async ({ card, idempotencyKey }: CardToRemove) => {
      try {
        await askBeforeLeaving(() =>
          callApi(`payment/cards/${card.uuid}`, { method: 'DELETE', idempotencyKey }),
        );
      } catch (error) {
        // It was removed elsewhere.
        if (!(error instanceof ApiError && error.failure === 'not_found')) throw error;
      }
    },
    // Not as options of `mutate`, which are those of the latest removal only.
    onSuccess: async (_result, removal) => {
      await client.cancelQueries({ queryKey: cardsKey });
      setCards(client, (cards) => cards.filter(({ id }) => id !== removal.card.id));
      onRemoved(removal);
    },
    onError: (error, removal) => onFailed(error, removal),
    // Not awaited, because the removal would be pending until then.
    onSettled: (_result, error) => {
      const isSignedOut = error instanceof ApiError && error.failure === 'signed_out';
      if (!isSignedOut) void client.invalidateQueries({ queryKey: cardsKey });
    },
  });
}

export function setCards(client: QueryClient, change: (cards: CardObject[]) => CardObject[]): void {
  client.setQueryData<CardObject[]>(cardsKey, (cards) => change(cards ?? []));
}
