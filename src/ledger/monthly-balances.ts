import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isInMonth } from './list-entries.ts';
import { monthBounds } from './month.ts';

export type MonthBalance = { month: string; changeCents: bigint; balanceCents: bigint; entries: number };

/** The month at an instant in the time zone of the customer's city. */
const cityMonth = (customerId: number, at: Date) => sql`
  select cities.timezone, ledger_month(${at.toISOString()}::timestamptz, cities.timezone, cities.month_starts) as month
  from cities join customers on customers.city_id = cities.id where customers.id = ${customerId}`;

/**
 * The last twelve months of a customer, oldest first, the city's current month (scheduled deliveries included) last: the
 * change of each and the balance at its end, from the rollup alone.
 * @param at the instant that determines the current month
 */
export async function monthlyBalances(
  db: Database,
  customerId: number,
  at = new Date(),
): Promise<MonthBalance[]> {
  const rows = await db.execute<{ month: string; change: string; balance: string; entries: number }>(sql`
    with months as (
      select generate_series(month - interval '11 months', month::timestamp, interval '1 month')::date as month
      from (${cityMonth(customerId, at)}) current)
    select m.month::text as month, coalesce(l.amount_cents, 0)::text as change, coalesce(l.entries, 0)::integer as entries,
      (select coalesce(sum(b.amount_cents), 0)::text from ledger_months b
       where b.customer_id = ${customerId} and b.month <= m.month) as balance
    from months m left join ledger_months l on l.customer_id = ${customerId} and l.month = m.month
    order by m.month`);
  return rows.map((row) => ({
    month: row.month,
    changeCents: BigInt(row.change),
    balanceCents: BigInt(row.balance),
    entries: row.entries,
  }));
}

export type MonthStep = {
  at: Date;
  changeCents: bigint;
  /** After this step. */
  balanceCents: bigint;
  /** The number of entries in the step; more than one if it is a whole day. */
  entries: number;
  /** Of a single entry. */
  description: string | null;
};
type StepRow = { at: string; change: string; balance: string; entries: number; description: string | null };

/** A plot cannot show more steps than this. */
const stepsMax = 200;

/**
 * The balance at the start of a month and its steps in order, including scheduled deliveries. With more than 200 entries
 * there is one step per day.
 * @param month `2026-11`
 * @param timezone of the customer's city
 */
export async function monthSteps(
  db: Database,
  customerId: number,
  { month, timezone }: { month: string; timezone: string },
): Promise<{ openingCents: bigint; isByDay: boolean; steps: MonthStep[] }> {
  const first = `${month}-01`;
  const [row] = await db.execute<{ opening: string; is_by_day: boolean; steps: StepRow[] }>(sql`
    with months as (
      select coalesce(sum(amount_cents) filter (where month < ${first}::date), 0) as opening,
        coalesce(sum(entries) filter (where month = ${first}::date), 0) > ${stepsMax} as is_by_day
      from ledger_months where customer_id = ${customerId} and month <= ${first}::date),
    entries as (
      select takes_effect_at, id, amount_cents, description
      from ledger_entries e where e.customer_id = ${customerId} and ${isInMonth(customerId, first)}),
    steps as (
      select takes_effect_at as at, id, amount_cents::numeric as change, 1 as entries, description
      from entries where not (select is_by_day from months)
      union all
      select max(takes_effect_at), max(id), sum(amount_cents), count(*), null
      from entries where (select is_by_day from months) group by date_trunc('day', takes_effect_at at time zone ${timezone})),
    listed as (
      select at, id, change::text, entries, description,
        ((select opening from months) + sum(change) over (order by at, id))::text as balance
      from steps)
    select opening::text, is_by_day, (select coalesce(json_agg(listed order by at, id), '[]') from listed) as steps
    from months`);
  if (!row) throw new Error('The database returned no row for the month.');
  return {
    openingCents: BigInt(row.opening),
    isByDay: row.is_by_day,
    steps: row.steps.map(({ at, change, balance, entries, description }) => ({
      at: new Date(at),
      changeCents: BigInt(change),
      balanceCents: BigInt(balance),
      entries,
      description,
    })),
  };
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
