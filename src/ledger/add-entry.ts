import { sql } from 'drizzle-orm';
import { auditInsert, type Context } from '#src/audit.ts';
import { getCustomerByUsername } from '#src/customers/get-customer.ts';
import { DomainError } from '#src/errors.ts';
import { entryCentsMax } from '#src/money.ts';
import { checkEntryTexts, type EntryKind, kindProblem, type LedgerEntry, signedCents } from './entry.ts';
import {
  addingEntries,
  auditedEntry,
  balancesInRange,
  customersLock,
  type EntryRow,
  entryOf,
  throwBalanceOutOfRange,
} from './ledger-queries.ts';

export type AddEntryInput = {
  username: string;
  kind: EntryKind;
  /** Positive, except for adjustments, which can have either sign. */
  amountCents: bigint;
  takesEffectAt: Date;
  description: string;
  /** Unique among the customer's entries. */
  reference: string;
};

/**
 * Adds an entry to the customer's ledger; it cannot be changed afterward, only reversed.
 * @throws DomainError invalid_input, not_found, already_exists (the reference), refused (balance past 2^53 cents)
 */
export async function addEntry(ctx: Context, input: AddEntryInput): Promise<LedgerEntry> {
  const problem =
    kindProblem(input.kind, input.amountCents) ??
    (input.amountCents > entryCentsMax || input.amountCents < -entryCentsMax
      ? 'The maximum amount is $999,999,999.99.'
      : undefined);
  if (problem) throw new DomainError('invalid_input', problem, [{ param: 'amount', message: problem }]);
  checkEntryTexts(input);
  const { customer } = await getCustomerByUsername(ctx.db, input.username);
  const entry = await insertEntry(ctx, customer.id, input).catch(throwBalanceOutOfRange);
  if (entry) return entry;
  throw new DomainError(
    'already_exists',
    'The customer already has an entry with this reference, so nothing was added. To add a charge again, use a new reference.',
  );
}

/** Adds an entry, its month's sum, and the audit, in one statement. @returns undefined when the reference is taken */
async function insertEntry(
  { db, actor }: Context,
  customerId: number,
  { kind, amountCents, takesEffectAt, description, reference }: AddEntryInput,
): Promise<LedgerEntry | undefined> {
  const entries = sql`
    select 1 as position, ${customerId}::bigint as customer_id, ${kind} as kind,
      ${signedCents(kind, amountCents).toString()}::bigint as amount_cents,
      ${takesEffectAt.toISOString()}::timestamptz as takes_effect_at, ${description} as description,
      ${reference} as reference, null::bigint as reverses_id`;
  const audit = auditInsert({
    actor,
    action: 'entry.added',
    customerId: sql`added.customer_id`,
    subject: sql`added.reference`,
    after: auditedEntry,
    from: sql`added`,
  });
  const lock = await customersLock(db);
  const [row] = await db.execute<EntryRow>(sql`
    with ${addingEntries(entries, lock)}, audited as (${audit})
    select added.*, null as reverses, null as reversed_by, ${balancesInRange} from added`);
  return row && entryOf(row);
}
