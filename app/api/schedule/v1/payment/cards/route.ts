import { presentAddedCard, presentRefusedCard } from '#contract/card-messages.ts';
import { addCardRequestSchema, addCardResponseSchema } from '#contract/card-operations.ts';
import { db } from '#db/client.ts';
import { addCard } from '#domain/cards/add-card.ts';
import { isDecline } from '#domain/cards/failures.ts';
import { endpoint } from '#http/endpoint.ts';
import { countDecline, refuseAfterDeclines } from '#http/limits.ts';
import { resource } from '#http/resource.ts';
import { cardProvider } from '#payments/stripe.ts';

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
