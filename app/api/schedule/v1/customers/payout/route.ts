import { payoutResponseSchema, presentPayout } from '#contract/payout.ts';
import { endpoint } from '#http/endpoint.ts';
import { resource } from '#http/resource.ts';

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
