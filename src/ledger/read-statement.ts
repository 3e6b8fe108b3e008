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
    with totals as (${selectTotals(customerId, month, now)}),
    listed as (${selectEntries(customerId, { month: first }, { limit: entriesMax })})
    select coalesce(sum(amount_cents) filter (where month < ${first}::date), 0)::text as opening,
      coalesce(sum(amount_cents), 0)::text as closing,
      (select coalesce(json_agg(totals order by "isScheduled", kind), '[]') from totals) as totals,
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

const selectTotals = (customerId: number, month: string, now: Date) => sql`
  select kind, takes_effect_at > ${now.toISOString()}::timestamptz as "isScheduled",
    sum(amount_cents)::text as amount, count(*)::integer as entries
  from ledger_entries e where e.customer_id = ${customerId} and ${isInMonth(customerId, `${month}-01`)}
  group by 1, 2`;

/**
 * The totals of `readStatement` without its list, posted ones first.
 * @param month `2026-11`
 */
export async function monthTotals(
  db: Database,
  customerId: number,
  month: string,
  now: Date,
): Promise<MonthTotal[]> {
  const rows = await db.execute<TotalRow>(sql`${selectTotals(customerId, month, now)} order by 2, 1`);
  return rows.map(totalOf);
}

/** The month of a customer's first entry, `2026-11`; undefined if there is none. */
export async function firstMonth(db: Database, customerId: number): Promise<string | undefined> {
  const [row] = await db.execute<{ month: string | null }>(sql`
    select to_char(min(month), 'YYYY-MM') as month from ledger_months where customer_id = ${customerId}`);
  return row?.month ?? undefined;
}
