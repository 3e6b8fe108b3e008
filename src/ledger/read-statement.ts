import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { oneRow } from '#db/one-row.ts';
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
  const row = await oneRow(
    db.execute<StatementRow>(sql`
    with entries as (${selectMonth(customerId, first)}),
    listed as (${selectEntries(customerId, { month: first }, { limit: entriesMax })})
    select coalesce(sum(amount_cents) filter (where month < ${first}::date), 0)::text as opening,
      coalesce(sum(amount_cents), 0)::text as closing,
      (${selectTotals(now)}) as totals,
      (select coalesce(json_agg(listed order by takes_effect_at, id), '[]') from listed) as entries
    from ledger_months where customer_id = ${customerId} and month <= ${first}::date`),
  );
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
  select takes_effect_at, kind, amount_cents
  from ledger_entries e where e.customer_id = ${customerId} and ${isInMonth(customerId, first)}`;

/** From `entries`, as JSON; posted ones first. */
const selectTotals = (now: Date) => sql`
  select coalesce(json_agg(totals order by "isScheduled", kind), '[]') from (
    select kind, takes_effect_at > ${now.toISOString()}::timestamptz as "isScheduled",
      sum(amount_cents)::text as amount, count(*)::integer as entries
    from entries group by 1, 2) totals`;

type Month = Pick<Statement, 'openingCents' | 'totals' | 'closingCents'> & {
  /**
   * The balance after the last entry of each day that has entries, in order. Today has two if only some of its entries
   * have taken effect.
   */
  steps: { at: Date; balanceCents: bigint }[];
};

/**
 * A month of a customer from its opening to its closing balance, as totals and by day, in one snapshot.
 * @param options.month `2026-11`
 * @param options.timezone of the customer's city
 */
export async function readMonth(
  db: Database,
  customerId: number,
  { month, timezone, now }: { month: string; timezone: string; now: Date },
): Promise<Month> {
  const first = `${month}-01`;
  const row = await oneRow(
    db.execute<MonthRow>(sql`
    with months as (
      select coalesce(sum(amount_cents) filter (where month < ${first}::date), 0) as opening,
        coalesce(sum(amount_cents), 0) as closing
      from ledger_months where customer_id = ${customerId} and month <= ${first}::date),
    entries as (${selectMonth(customerId, first)}),
    steps as (
      select max(takes_effect_at) as at,
        ((select opening from months) + sum(sum(amount_cents)) over (order by max(takes_effect_at)))::text as balance
      from entries
      group by date_trunc('day', takes_effect_at at time zone ${timezone}), takes_effect_at > ${now.toISOString()}::timestamptz)
    select opening::text, closing::text, (${selectTotals(now)}) as totals,
      (select coalesce(json_agg(steps order by at), '[]') from steps) as steps
    from months`),
  );
  return {
    openingCents: BigInt(row.opening),
    totals: row.totals.map(totalOf),
    closingCents: BigInt(row.closing),
    steps: row.steps.map(({ at, balance }) => ({ at: new Date(at), balanceCents: BigInt(balance) })),
  };
}

type MonthRow = Omit<StatementRow, 'entries'> & { steps: { at: string; balance: string }[] };

/** The month of a customer's first entry, `2026-11`; undefined if there is none. */
export async function firstMonth(db: Database, customerId: number): Promise<string | undefined> {
  const { month } = await oneRow(
    db.execute<{ month: string | null }>(sql`
    select to_char(min(month), 'YYYY-MM') as month from ledger_months where customer_id = ${customerId}`),
  );
  return month ?? undefined;
}
