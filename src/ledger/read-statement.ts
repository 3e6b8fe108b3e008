import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import type { EntryKind, LedgerEntry } from './entry.ts';
import { isInMonth, listEntries } from './list-entries.ts';

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
  // One snapshot, so that the totals lead from the opening to the closing balance.
  const snapshot = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const;
  const [balances, totals, page] = await db.transaction(
    async (tx) => [
      await tx.execute<{ opening: string; closing: string }>(sql`
        select coalesce(sum(amount_cents) filter (where month < ${first}::date), 0)::text as opening,
          coalesce(sum(amount_cents), 0)::text as closing
        from ledger_months where customer_id = ${customerId} and month <= ${first}::date`),
      await tx.execute<{ kind: EntryKind; amount: string; entries: number }>(sql`
        select kind, sum(amount_cents)::text as amount, count(*)::integer as entries
        from ledger_entries e join customers on customers.id = e.customer_id join cities on cities.id = customers.city_id
        where e.customer_id = ${customerId} and ${isInMonth(first)} group by kind order by kind`),
      await listEntries(tx, customerId, { month: first, limit: entriesMax }),
    ],
    snapshot,
  );
  return {
    month,
    openingCents: BigInt(balances[0]?.opening ?? 0),
    totals: totals.map(({ kind, amount, entries }) => ({ kind, amountCents: BigInt(amount), entries })),
    entries: page.next === null ? page.entries.toReversed() : null,
    closingCents: BigInt(balances[0]?.closing ?? 0),
  };
}

/** The month of a customer's first entry, `2026-11`; undefined if there is none. */
export async function firstMonth(db: Database, customerId: number): Promise<string | undefined> {
  const [row] = await db.execute<{ month: string | null }>(sql`
    select to_char(min(month), 'YYYY-MM') as month from ledger_months where customer_id = ${customerId}`);
  return row?.month ?? undefined;
}
