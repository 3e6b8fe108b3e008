import { z } from 'zod';
import type { Payout } from '#src/ledger/payout.ts';
import { presentTimestamp, timestampSchema } from './timestamp.ts';

export const payoutResponseSchema = z
  .object({
    payout: z
      .object({
        amount: z
          .number()
          .nonnegative()
          .meta({ description: 'US dollars to pay at the end of the current month.', examples: [1284.5] }),
        amount_cents: z
          .int()
          .nonnegative()
          .meta({ description: 'The same in cents: use this one to calculate.', examples: [128450] }),
        credit_cents: z.int().positive().optional().meta({
          description: 'Cents in your favor, there when the balance is under zero: then `amount` is 0.',
        }),
        currency: z.literal('USD').meta({ description: 'US dollars, always.' }),
        period_start: timestampSchema.meta({
          description: "First instant of this month in the city's zone.",
        }),
        period_end: timestampSchema.meta({
          description: "First instant of the next month in the city's zone.",
        }),
        timezone: z.string().meta({ description: "The city's zone, an IANA name." }),
      })
      .meta({ id: 'Payout', description: 'What is to be paid at the end of the current month.' }),
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
