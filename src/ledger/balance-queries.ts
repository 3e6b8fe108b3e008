import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';

export type MonthBalance = { month: string; changeCents: bigint; balanceCents: bigint; entries: number };

/** The month of a customer's city at an instant, by the city's clock. */
const cityMonth = (customerId: number, at: Date) => sql`(
  select ledger_month(${at.toISOString()}::timestamptz, cities.timezone) from cities
  join customers on customers.city_id = cities.id where customers.id = ${customerId})`;

/** The change of each of the last months and the balance at its end, oldest first; from the rollup alone. */
export async function findMonthBalances(
  db: Database,
  customerId: number,
  at: Date,
  months: number,
): Promise<MonthBalance[]> {
  const rows = await db.execute<{ month: string; change: string; balance: string; entries: number }>(sql`
    with wanted as (
      select generate_series(m - make_interval(months => ${months - 1}), m, interval '1 month')::date as month
      from (select ${cityMonth(customerId, at)}::timestamp as m) now)
    select w.month::text as month, coalesce(l.amount_cents, 0)::text as change, coalesce(l.entries, 0)::integer as entries,
      (select coalesce(sum(b.amount_cents), 0)::text from ledger_months b
       where b.customer_id = ${customerId} and b.month <= w.month) as balance
    from wanted w left join ledger_months l on l.customer_id = ${customerId} and l.month = w.month
    order by w.month`);
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
  /** How many entries the step holds: more than one where it is a whole day. */
  entries: number;
  /** Of a single entry. */
  description: string | null;
};
type StepRow = { at: string; change: string; balance: string; entries: number; description: string | null };

/** What changed the balance in the city's current month, in order; by day where there are more entries than `most`. */
export async function findMonthSteps(
  db: Database,
  customerId: number,
  at: Date,
  most: number,
): Promise<{ month: string; timezone: string; openingCents: bigint; isByDay: boolean; steps: MonthStep[] }> {
  const [head] = await db.execute<{ month: string; timezone: string; opening: string; entries: number }>(sql`
    select m.month::text as month, m.timezone, coalesce((select sum(amount_cents) from ledger_months
        where customer_id = ${customerId} and month < m.month), 0)::text as opening,
      coalesce((select entries from ledger_months where customer_id = ${customerId} and month = m.month), 0)::integer
        as entries
    from (select cities.timezone, ledger_month(${at.toISOString()}::timestamptz, cities.timezone) as month
      from cities join customers on customers.city_id = cities.id where customers.id = ${customerId}) m`);
  if (!head) throw new Error('There is no such customer.');
  const isByDay = head.entries > most;
  const entriesOfMonth = sql`
    select takes_effect_at, id, amount_cents, description,
      date_trunc('day', takes_effect_at at time zone ${head.timezone}) as day
    from ledger_entries where customer_id = ${customerId}
      and takes_effect_at between ${head.month}::date - interval '2 days' and ${head.month}::date + interval '33 days'
      and ledger_month(takes_effect_at, ${head.timezone}) = ${head.month}::date`;
  const steps = isByDay
    ? sql`select max(takes_effect_at) as at, max(id) as id, sum(amount_cents) as change, count(*) as entries,
        null::text as description from (${entriesOfMonth}) e group by day`
    : sql`select takes_effect_at as at, id, amount_cents::numeric as change, 1 as entries, description
        from (${entriesOfMonth}) e`;
  const rows = await db.execute<StepRow>(sql`
    select at, change::text, entries::integer, description,
      (${head.opening}::numeric + sum(change) over (order by at, id))::text as balance
    from (${steps}) s order by at, id`);
  return {
    month: head.month,
    timezone: head.timezone,
    openingCents: BigInt(head.opening),
    isByDay,
    steps: rows.map((row) => ({
      at: new Date(row.at),
      changeCents: BigInt(row.change),
      balanceCents: BigInt(row.balance),
      entries: row.entries,
      description: row.description,
    })),
  };
}
