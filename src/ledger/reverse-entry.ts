import { sql } from 'drizzle-orm';
import { auditInsert, type Context } from '#src/audit.ts';
import { getCustomerByUsername } from '#src/customers/get-customer.ts';
import { DomainError } from '#src/errors.ts';
import { type LedgerEntry, reversalPrefix } from './entry.ts';
import {
  addingEntries,
  auditedEntry,
  balancesInRange,
  customersLock,
  type EntryRow,
  entryOf,
  throwBalanceOutOfRange,
} from './ledger-queries.ts';

/**
 * Reverses an entry by adding one with the opposite amount at the same instant. Both stay in the ledger.
 * @returns the reversing entry
 * @throws DomainError not_found, refused (already reversed, or itself a reversal)
 */
export async function reverseEntry(
  ctx: Context,
  input: { username: string; reference: string },
): Promise<LedgerEntry> {
  const { customer } = await getCustomerByUsername(ctx.db, input.username);
  const reversal = await insertReversal(ctx, customer.id, input.reference).catch(throwBalanceOutOfRange);
  if (reversal.outcome === 'reversed') return reversal.entry;
  if (reversal.outcome === 'unknown')
    throw new DomainError('not_found', 'The customer has no entry with this reference.');
  if (reversal.outcome === 'is_reversal')
    throw new DomainError(
      'refused',
      'This entry is a reversal, which can’t be reversed. Add the charge again instead.',
    );
  throw new DomainError('refused', 'This entry is already reversed.');
}

type Reversal =
  | { outcome: 'reversed'; entry: LedgerEntry }
  | { outcome: 'unknown' | 'is_reversal' | 'already_reversed' };

async function insertReversal(
  { db, actor }: Context,
  customerId: number,
  reference: string,
): Promise<Reversal> {
  const entries = sql`
    select 1 as position, customer_id, kind, -amount_cents as amount_cents, takes_effect_at,
      left('Reversal: ' || description, 500) as description, ${reversalPrefix}::text || reference as reference,
      id as reverses_id
    from original where reverses_id is null`;
  const audit = auditInsert({
    actor,
    action: 'entry.reversed',
    customerId: sql`added.customer_id`,
    subject: reference,
    before: sql`jsonb_build_object('id', original.id, 'amount_cents', original.amount_cents)`,
    after: auditedEntry,
    from: sql`added, original`,
  });
  const lock = await customersLock(db);
  const [row] = await db.execute<Partial<EntryRow> & { is_reversal: boolean }>(sql`
    with original as (select * from ledger_entries where customer_id = ${customerId} and reference = ${reference}),
    ${addingEntries(entries, lock)}, audited as (${audit})
    select original.reverses_id is not null as is_reversal, added.*, original.reference as reverses,
      null as reversed_by, ${balancesInRange}
    from original left join added on true`);
  if (!row) return { outcome: 'unknown' };
  if (row.is_reversal) return { outcome: 'is_reversal' };
  return isEntryRow(row) ? { outcome: 'reversed', entry: entryOf(row) } : { outcome: 'already_reversed' };
}

function isEntryRow(row: Partial<EntryRow>): row is EntryRow {
  return row.id !== null;
}
