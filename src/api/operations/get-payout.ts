import { z } from 'zod';
import { formatInstant } from '#src/instant.ts';
import type { Payout } from '#src/ledger/monthly-balances.ts';
import { exactNumber } from '#src/money.ts';
import { defineOperation } from '../operation.ts';
import { timestampSchema } from '../schemas.ts';
import recorded from './recorded.json' with { type: 'json' };

const payoutResponseSchema = z
  .object({
    payout: z
      .object({
        amount: z
          .number()
          .nonnegative()
          .meta({
            description: 'The balance due at the end of the current month, in US dollars.',
            examples: [1284.5],
          }),
        amount_cents: z
          .int()
          .nonnegative()
          .meta({ description: 'The same amount in cents. Use it for calculations.', examples: [128450] }),
        credit_cents: z
          .int()
          .positive()
          .optional()
          .describe(
            'Your credit in cents. Present only if the balance is negative, in which case `amount` is 0.',
          ),
        currency: z.literal('USD').describe('Always US dollars.'),
        period_start: timestampSchema.meta({
          description: 'The start of the current month in the city’s time zone.',
          examples: ['2026-11-01T00:00:00-07:00'],
        }),
        period_end: timestampSchema.meta({
          description: 'The start of the next month in the city’s time zone.',
          examples: ['2026-12-01T00:00:00-08:00'],
        }),
        timezone: z.string().describe('The IANA name of the city’s time zone.'),
      })
      .meta({ id: 'Payout', description: 'The balance you owe at the end of the current month.' }),
  })
  .meta({ id: 'PayoutResponse' });

export type PayoutResponse = z.infer<typeof payoutResponseSchema>;
export type PayoutObject = PayoutResponse['payout'];

export const getPayout = defineOperation({
  id: 'getPayout',
  method: 'GET',
  path: '/api/schedule/v1/customers/payout',
  summary: 'Get the month-end payout',
  description:
    "Your payout is the balance you owe at the end of the current month in your city's time zone: every transaction that takes effect before the next month, scheduled deliveries included.",
  tag: 'Customer',
  reads: 'payout',
  response: {
    status: 200,
    description: 'Your payout.',
    schema: payoutResponseSchema,
    examples: {
      payout: { summary: 'A balance due', value: recorded.getPayout },
      credit: { summary: 'A credit', value: recorded.getPayoutInCredit },
    },
  },
  docs: { slug: 'get-the-payout' },
  run: async ({ principal }) => presentPayout(principal.payout),
});

/** @throws RangeError when the balance has more cents than a JSON number can say exactly */
export function presentPayout(payout: Payout): PayoutResponse {
  const balanceCents = exactNumber(payout.balanceCents);
  const amountCents = Math.max(balanceCents, 0);
  return {
    payout: {
      amount: amountCents / 100,
      amount_cents: amountCents,
      ...(balanceCents < 0 && { credit_cents: -balanceCents }),
      currency: 'USD',
      period_start: formatInstant(payout.periodStart, payout.timezone),
      period_end: formatInstant(payout.periodEnd, payout.timezone),
      timezone: payout.timezone,
    },
  };
}
