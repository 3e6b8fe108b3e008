import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import type { EntryKind, LedgerEntry } from './entry.ts';
import { type EntryRow, entryOf } from './ledger-queries.ts';
import { isInMonth, selectEntries } from './list-entries.ts';

export type Statement = {
  /** `2026-11` */
  month: string;
  openingCents: bigint;
  /** Of the types that the month has, in the order of `entryKinds`. */
  totals: { kind: EntryKind; amountCents: bigint; entries: number }[];
  /** Oldest first; null if there are more than 500. */
  entries: LedgerEntry[] | null;
  closingCents: bigint;
};

const entriesMax = 500;

/**
 * A month of a customer from its opening to its closing balance, scheduled entries included.
 * @param month `2026-11`
 */
export async function readStatement(db: Database, customerId: number, month: string): Promise<Statement> {
  const first = `${month}-01`;
  // One statement, and so one snapshot: the totals lead from the opening to the closing balance.
  const [row] = await db.execute<StatementRow>(sql`
    with totals as (
      select kind, sum(amount_cents)::text as amount, count(*)::integer as entries
      from ledger_entries e join customers on customers.id = e.customer_id join cities on cities.id = customers.city_id
      where e.customer_id = ${customerId} and ${isInMonth(first)} group by kind),
    listed as (${selectEntries(customerId, { month: first }, { limit: entriesMax })})
    select coalesce(sum(amount_cents) filter (where month < ${first}::date), 0)::text as opening,
      coalesce(sum(amount_cents), 0)::text as closing,
      (select coalesce(json_agg(totals order by kind), '[]') from totals) as totals,
      (select coalesce(json_agg(listed order by takes_effect_at, id), '[]') from listed) as entries
    from ledger_months where customer_id = ${customerId} and month <= ${first}::date`);
  if (!row) throw new Error('The database returned no row for the statement.');
  const count = row.totals.reduce((sum, { entries }) => sum + entries, 0);
  return {
    month,
    openingCents: BigInt(row.opening),
    totals: row.totals.map(({ kind, amount, entries }) => ({ kind, amountCents: BigInt(amount), entries })),
    entries: count > entriesMax ? null : row.entries.map(entryOf),
    closingCents: BigInt(row.closing),
  };
}

type StatementRow = {
  opening: string;
  closing: string;
  totals: { kind: EntryKind; amount: string; entries: number }[];
  entries: EntryRow[];
};

/** The month of a customer's first entry, `2026-11`; undefined if there is none. */
export async function firstMonth(db: Database, customerId: number): Promise<string | undefined> {
  const [row] = await db.execute<{ month: string | null }>(sql`
    select to_char(min(month), 'YYYY-MM') as month from ledger_months where customer_id = ${customerId}`);
  return row?.month ?? undefined;
}
