import { type SQL, sql } from 'drizzle-orm';
import { auditInsert, type Context } from '#src/audit.ts';
import { type Customer, getCustomerByUsername } from '#src/customers/get-customer.ts';
import { DomainError } from '#src/errors.ts';
import {
  addingEntries,
  auditedEntry,
  balancesInRange,
  customersLock,
  throwBalanceOutOfRange,
  withNewestCities,
} from './add-entry.ts';
import { type LedgerEntry, reversalPrefix } from './entry.ts';
import { type EntryRow, entryOf } from './list-entries.ts';

/**
 * Reverses an entry by adding one with the opposite amount at the same instant. Both stay in the ledger.
 * @returns the reversing entry
 * @throws DomainError not_found, refused (already reversed, or itself a reversal)
 */
export async function reverseEntry(
  { db, actor }: Context,
  { username, reference }: { username: string; reference: string },
): Promise<LedgerEntry> {
  const { customer } = await getCustomerByUsername(db, username);
  const statement = insertReversal(actor, customer, reference, await customersLock(db));
  const [row] = await withNewestCities(async () => db.execute<ReversalRow>(statement)).catch(
    throwBalanceOutOfRange,
  );
  if (!row) throw new DomainError('not_found', 'The customer has no entry with this reference.');
  if (row.is_reversal)
    throw new DomainError(
      'refused',
      'This entry is a reversal, which can’t be reversed. Add the charge again instead.',
    );
  if (row.id === null) {
    // The customer may have been erased meanwhile.
    await getCustomerByUsername(db, username);
    throw new DomainError('refused', 'This entry is already reversed.');
  }
  return entryOf({ ...row, id: row.id });
}

/** Without an ID if nothing was added. */
type ReversalRow = Omit<EntryRow, 'id'> & { id: string | null; is_reversal: boolean };

function insertReversal(actor: string, { id, username }: Customer, reference: string, lock: SQL): SQL {
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
  return sql`
    with original as (select * from ledger_entries where customer_id = ${id} and reference = ${reference}),
    ${addingEntries(entries, { username, lock })}, audited as (${audit})
    select original.reverses_id is not null as is_reversal, added.*, original.reference as reverses,
      null as reversed_by, ${balancesInRange}
    from original left join added on true`;
}
