import { db } from '#db/client.ts';
import { endpoint } from '#src/api/endpoint.ts';
import { countDecline, refuseAfterDeclines } from '#src/api/rate-limits.ts';
import { resource } from '#src/api/resource.ts';
import { presentAddedCard, presentRefusedCard } from '#src/api/schemas/card-messages.ts';
import { addCardRequestSchema, addCardResponseSchema } from '#src/api/schemas/card-operations.ts';
import { addCard } from '#src/cards/add-card.ts';
import { isDecline } from '#src/cards/failures.ts';
import { cardProvider } from '#src/payments/stripe.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = resource({
  POST: endpoint({
    name: 'cards.add',
    body: addCardRequestSchema,
    output: addCardResponseSchema,
    run: async ({ principal, body }) => {
      const customerId = principal.customerId;
      await refuseAfterDeclines(customerId);
      const outcome = await addCard({ db: db(), provider: cardProvider }, { customerId, ...body });
      if (outcome.status === 'added') return presentAddedCard(outcome.card);
      if (isDecline(outcome.failure)) await countDecline(customerId);
      return presentRefusedCard(outcome.failure);
    },
  }),
});
