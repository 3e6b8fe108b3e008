import { defineOperation } from '../operation.ts';
import { payoutResponseSchema, presentPayout } from '../schemas/payout.ts';
import recorded from './recorded.json' with { type: 'json' };

export const getPayout = defineOperation({
  id: 'getPayout',
  method: 'GET',
  path: '/api/schedule/v1/customers/payout',
  summary: 'Get the month-end payout',
  description:
    "Your payout is the balance you owe at the end of the current month in your city's time zone: every transaction that takes effect before the next month, scheduled deliveries included.",
  tag: 'Customer',
  reads: 'payout',
  dependsOnlyOnReads: true,
  responses: {
    200: {
      description: 'Your payout.',
      schema: payoutResponseSchema,
      examples: {
        payout: { summary: 'A balance due', value: recorded.getPayout },
        credit: { summary: 'A credit', value: recorded.getPayoutInCredit },
      },
    },
  },
  docs: { slug: 'get-the-payout' },
  run: async ({ principal }) => presentPayout(principal.payout),
});
