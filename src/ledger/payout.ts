import { monthBounds } from './month.ts';

/** The balance that a customer owes at the end of the current month, in the city's time zone. */
export type Payout = {
  /** Negative when the customer has credit. */
  balanceCents: bigint;
  periodStart: Date;
  periodEnd: Date;
  timezone: string;
};

/**
 * @param month first day of the city's current month, `2026-11-01`
 * @param balanceCents the sum of all entries that take effect before the next month
 */
export function payoutOf(month: string, balanceCents: bigint, timezone: string): Payout {
  const { start, end } = monthBounds(month, timezone);
  return { balanceCents, periodStart: start, periodEnd: end, timezone };
}
