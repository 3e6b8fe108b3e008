import { db } from '#db/client.ts';
import { endpoint } from '#src/api/endpoint.ts';
import { resource } from '#src/api/resource.ts';
import {
  cardRemovedMessage,
  cardSelectorSchema,
  removeCardResponseSchema,
} from '#src/api/schemas/card-operations.ts';
import { removeCard } from '#src/cards/remove-card.ts';
import { cardProvider } from '#src/payments/stripe.ts';

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
