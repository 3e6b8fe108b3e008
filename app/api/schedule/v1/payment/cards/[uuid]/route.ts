import {
  cardRemovedMessage,
  cardSelectorSchema,
  removeCardResponseSchema,
} from '#contract/card-operations.ts';
import { db } from '#db/client.ts';
import { removeCard } from '#domain/cards/remove-card.ts';
import { endpoint } from '#http/endpoint.ts';
import { resource } from '#http/resource.ts';
import { cardProvider } from '#payments/stripe.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = resource({
  DELETE: endpoint({
    name: 'cards.remove',
    target: cardSelectorSchema,
    output: removeCardResponseSchema,
    run: async ({ principal, target: selector, idempotencyKey }) => {
      const customerId = principal.customerId;
      await removeCard({ db: db(), provider: cardProvider }, { customerId, selector, idempotencyKey });
      return { status: true as const, message: cardRemovedMessage };
    },
  }),
});
