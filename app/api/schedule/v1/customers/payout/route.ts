import { endpoint } from '#src/api/endpoint.ts';
import { resource } from '#src/api/resource.ts';
import { payoutResponseSchema, presentPayout } from '#src/api/schemas/payout.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = resource({
  GET: endpoint({
    name: 'customers.payout',
    include: 'payout',
    output: payoutResponseSchema,
    isRevalidated: true,
    run: async ({ principal: { payout } }) => {
      if (!payout) throw new Error('The payout was not read.');
      return presentPayout(payout);
    },
  }),
});
