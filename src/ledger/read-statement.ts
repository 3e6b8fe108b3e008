import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import type { EntryKind, LedgerEntry } from './entry.ts';
import { type EntryRow, entryOf, isInMonth, selectEntries } from './list-entries.ts';

/** The sum of a month's entries of a type, with those that have not taken effect yet apart. */
export type MonthTotal = { kind: EntryKind; isScheduled: boolean; amountCents: bigint; entries: number };

export type Statement = {
  /** `2026-11` */
  month: string;
  openingCents: bigint;
  totals: MonthTotal[];
  /** Oldest first; null if there are more than 500. */
  entries: LedgerEntry[] | null;
  closingCents: bigint;
};

const entriesMax = 500;

/**
 * A month of a customer from its opening to its closing balance, scheduled entries included.
 * @param month `2026-11`
 */
export async function readStatement(
  db: Database,
  customerId: number,
  month: string,
  now: Date,
): Promise<Statement> {
  const first = `${month}-01`;
  // One statement, and so one snapshot: the totals lead from the opening to the closing balance.
  const [row] = await db.execute<StatementRow>(sql`
    with entries as (${selectMonth(customerId, first)}),
    listed as (${selectEntries(customerId, { month: first }, { limit: entriesMax })})
    select coalesce(sum(amount_cents) filter (where month < ${first}::date), 0)::text as opening,
      coalesce(sum(amount_cents), 0)::text as closing,
      (${selectTotals(now)}) as totals,
      (select coalesce(json_agg(listed order by takes_effect_at, id), '[]') from listed) as entries
    from ledger_months where customer_id = ${customerId} and month <= ${first}::date`);
  if (!row) throw new Error('The database returned no row for the statement.');
  const count = row.totals.reduce((sum, { entries }) => sum + entries, 0);
  return {
    month,
    openingCents: BigInt(row.opening),
    totals: row.totals.map(totalOf),
    entries: count > entriesMax ? null : row.entries.map(entryOf),
    closingCents: BigInt(row.closing),
  };
}

type StatementRow = {
  opening: string;
  closing: string;
  totals: TotalRow[];
  entries: EntryRow[];
};

type TotalRow = Omit<MonthTotal, 'amountCents'> & { amount: string };
const totalOf = ({ amount, ...total }: TotalRow): MonthTotal => ({ ...total, amountCents: BigInt(amount) });

/** @param first day of the month, `2026-11-01` */
const selectMonth = (customerId: number, first: string) => sql`
  select takes_effect_at, id, kind, amount_cents, description
  from ledger_entries e where e.customer_id = ${customerId} and ${isInMonth(customerId, first)}`;

/** From `entries`, as JSON; posted ones first. */
const selectTotals = (now: Date) => sql`
  select coalesce(json_agg(totals order by "isScheduled", kind), '[]') from (
    select kind, takes_effect_at > ${now.toISOString()}::timestamptz as "isScheduled",
      sum(amount_cents)::text as amount, count(*)::integer as entries
    from entries group by 1, 2) totals`;

type MonthStep = {
  at: Date;
  changeCents: bigint;
  /** After this step. */
  balanceCents: bigint;
  /** The number of entries in the step; more than one if it is a whole day. */
  entries: number;
  /** Of a single entry. */
  description: string | null;
};

type Month = Pick<Statement, 'openingCents' | 'totals' | 'closingCents'> & {
  /** In order, scheduled ones included. */
  steps: MonthStep[];
  /** Whether a step is a day, because there are more than 200 entries. */
  isByDay: boolean;
};

/** A plot cannot show more steps than this. */
const stepsMax = 200;

/**
 * A month of a customer from its opening to its closing balance, as totals and in steps, in one snapshot.
 * @param options.month `2026-11`
 * @param options.timezone of the customer's city
 */
export async function readMonth(
  db: Database,
  customerId: number,
  { month, timezone, now }: { month: string; timezone: string; now: Date },
): Promise<Month> {
  const first = `${month}-01`;
  const [row] = await db.execute<MonthRow>(sql`
    with months as (
      select coalesce(sum(amount_cents) filter (where month < ${first}::date), 0) as opening,
        coalesce(sum(amount_cents), 0) as closing,
        coalesce(sum(entries) filter (where month = ${first}::date), 0) > ${stepsMax} as is_by_day
      from ledger_months where customer_id = ${customerId} and month <= ${first}::date),
    entries as (${selectMonth(customerId, first)}),
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
    select opening::text, closing::text, is_by_day, (${selectTotals(now)}) as totals,
      (select coalesce(json_agg(listed order by at, id), '[]') from listed) as steps
    from months`);
  if (!row) throw new Error('The database returned no row for the month.');
  return {
    openingCents: BigInt(row.opening),
    totals: row.totals.map(totalOf),
    closingCents: BigInt(row.closing),
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

type StepRow = { at: string; change: string; balance: string; entries: number; description: string | null };
type MonthRow = {
  opening: string;
  closing: string;
  is_by_day: boolean;
  totals: TotalRow[];
  steps: StepRow[];
};

/** The month of a customer's first entry, `2026-11`; undefined if there is none. */
export async function firstMonth(db: Database, customerId: number): Promise<string | undefined> {
  const [row] = await db.execute<{ month: string | null }>(sql`
    select to_char(min(month), 'YYYY-MM') as month from ledger_months where customer_id = ${customerId}`);
  return row?.month ?? undefined;
}
