import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { monthBounds } from './month.ts';

export type MonthBalance = { month: string; balanceCents: bigint };

/** The month at an instant in the time zone of the customer's city. */
const cityMonth = (customerId: number, at: Date) => sql`
  select cities.timezone, ledger_month(${at.toISOString()}::timestamptz, cities.timezone, cities.month_starts) as month
  from cities join customers on customers.city_id = cities.id where customers.id = ${customerId}`;

/**
 * The last twelve months of a customer, oldest first, the city's current month (scheduled deliveries included) last: the
 * balance at the end of each, from the rollup alone.
 * @param at the instant that determines the current month
 */
export async function monthlyBalances(
  db: Database,
  customerId: number,
  at = new Date(),
): Promise<MonthBalance[]> {
  const rows = await db.execute<{ month: string; balance: string }>(sql`
    with months as (
      select generate_series(month - interval '11 months', month::timestamp, interval '1 month')::date as month
      from (${cityMonth(customerId, at)}) current)
    select month::text, (select coalesce(sum(b.amount_cents), 0)::text from ledger_months b
       where b.customer_id = ${customerId} and b.month <= months.month) as balance
    from months order by months.month`);
  return rows.map(({ month, balance }) => ({ month, balanceCents: BigInt(balance) }));
}

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
