import { z } from 'zod';
import type { Payout } from '#src/ledger/monthly-balances.ts';
import { presentTimestamp, timestampSchema } from './timestamp.ts';

export const payoutResponseSchema = z
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
        credit_cents: z.int().positive().optional().meta({
          description:
            'Your credit in cents. Present only if the balance is negative, in which case `amount` is 0.',
        }),
        currency: z.literal('USD').meta({ description: 'Always US dollars.' }),
        period_start: timestampSchema.meta({
          description: 'The start of the current month in the city’s time zone.',
        }),
        period_end: timestampSchema.meta({
          description: 'The start of the next month in the city’s time zone.',
        }),
        timezone: z.string().meta({ description: 'The IANA name of the city’s time zone.' }),
      })
      .meta({ id: 'Payout', description: 'The balance you owe at the end of the current month.' }),
  })
  .meta({ id: 'PayoutResponse' });

export type PayoutResponse = z.infer<typeof payoutResponseSchema>;
export type PayoutObject = PayoutResponse['payout'];

/** @throws RangeError when the balance has more cents than a JSON number can say exactly */
export function presentPayout(payout: Payout): PayoutResponse {
  const balanceCents = Number(payout.balanceCents);
  if (!Number.isSafeInteger(balanceCents)) throw new RangeError('The balance is past 2^53 cents.');
  const amountCents = Math.max(balanceCents, 0);
  return {
    payout: {
      amount: amountCents / 100,
      amount_cents: amountCents,
      ...(balanceCents < 0 && { credit_cents: -balanceCents }),
      currency: 'USD',
      period_start: presentTimestamp(payout.periodStart, payout.timezone),
      period_end: presentTimestamp(payout.periodEnd, payout.timezone),
      timezone: payout.timezone,
    },
  };
}
