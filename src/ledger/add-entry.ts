import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isDistributed } from '#db/distributed.ts';
import { violatesConstraint, violatesNotNull } from '#db/errors.ts';
import { auditInsert, type Context } from '#src/audit.ts';
import { getCustomerByUsername } from '#src/customers/get-customer.ts';
import { DomainError } from '#src/errors.ts';
import { entryCentsMax } from '#src/money.ts';
import { checkEntryTexts, type EntryKind, kindProblem, type LedgerEntry, signedCents } from './entry.ts';
import { type EntryRow, entryOf } from './list-entries.ts';

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
  const entry = await withNewestCities(() => insertEntry(ctx, customer.id, input)).catch(
    throwBalanceOutOfRange,
  );
  if (entry) return entry;
  // The customer may have been erased meanwhile.
  await getCustomerByUsername(ctx.db, input.username);
  throw new DomainError(
    'already_exists',
    'The customer already has an entry with this reference, so nothing was added. To add a charge again, use a new reference.',
  );
}

/** Adds an entry, its month's sum, and the audit, in one statement. @returns undefined when the reference is taken */
async function insertEntry(
  { db, actor }: Context,
  customerId: number,
  { username, kind, amountCents, takesEffectAt, description, reference }: AddEntryInput,
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
    with ${addingEntries(entries, { username, lock })}, audited as (${audit})
    select added.*, null as reverses, null as reversed_by, ${balancesInRange} from added`);
  return row && entryOf(row);
}

/**
 * @returns the lock with which an entry is added. An import that runs holds sums, and locks customers with extreme balances when it commits, so
 *   an entry that waits for such a sum must not hold the customer. On Citus, a stronger lock after a weaker one deadlocks with
 *   other statements, so an entry takes the one of `balancesInRange` at once.
 */
export async function customersLock(db: Database): Promise<SQL> {
  return (await isDistributed(db)) ? sql`for no key update` : sql`for key share`;
}

export type AddingOptions = {
  /** Of the only customer: nothing is added if it was erased, which changes the name. */
  username?: string;
  /** Of the customers, from `customersLock`. */
  lock?: SQL;
  onConflict?: SQL;
};

/**
 * Adds entries and their monthly sums: the CTEs of the only statement that writes to the ledger. `added` holds the
 * entries that were not there yet. Its customers and cities are locked as a foreign key check locks them, FOR KEY SHARE:
 * a change of a customer's city or of a city's clock takes them FOR UPDATE, so each waits for the other and then sees it.
 * The statement has to select `balancesInRange` too.
 * @param entries a select of position, customer_id, kind, amount_cents, takes_effect_at, description, reference and
 *   reverses_id
 */
export const addingEntries = (
  entries: SQL,
  { username, lock = sql`for key share`, onConflict = sql`on conflict do nothing` }: AddingOptions = {},
): SQL => sql`
  entries as not materialized (${entries}),
  owners as materialized (
    select id as customer_id, city_id from customers where id = any(array(select distinct customer_id from entries))
    ${username && sql`and username = ${username}`} order by id ${lock}),
  calendars as materialized (
    select id as city_id, timezone, month_starts from cities where id = any(array(select city_id from owners))
    for key share),
  added as (
    insert into ledger_entries (customer_id, kind, amount_cents, takes_effect_at, description, reference, reverses_id)
    select customer_id, kind, amount_cents, takes_effect_at, description, reference, reverses_id
    from entries join owners using (customer_id) order by customer_id, position
    ${onConflict} returning *),
  summed as (
    insert into ledger_months as known (customer_id, month, amount_cents, entries)
    -- In one order for all, so that two statements that add to the same months wait and do not deadlock.
    select customer_id, ledger_month(takes_effect_at, timezone, month_starts), sum(amount_cents), count(*)
    -- Without a city that this statement does not see, so that the month is null and refused: see withNewestCities.
    from added join owners using (customer_id) left join calendars using (city_id) group by 1, 2 order by 1, 2
    on conflict (customer_id, month) do update
      set amount_cents = known.amount_cents + excluded.amount_cents, entries = known.entries + excluded.entries
    returning customer_id)`;

/**
 * Repeats a statement of `addingEntries` that has waited for a customer, who moved to a city that was created after the
 * statement had begun.
 */
export async function withNewestCities<T>(add: () => Promise<T>): Promise<T> {
  try {
    return await add();
  } catch (error) {
    if (!isCityMissing(error)) throw error;
    return withNewestCities(add);
  }
}

/** @returns whether the statement failed because it does not see the city of a customer */
export const isCityMissing = (error: unknown) => violatesNotNull(error, 'month');

export const balancesInRange = sql`(
  select assert_balance_in_range(array_agg(distinct customer_id)) is null from summed) as balances_in_range`;

export const auditedEntry = sql`jsonb_build_object('id', added.id, 'kind', added.kind, 'amount_cents', added.amount_cents,
  'takes_effect_at', added.takes_effect_at, 'description', added.description, 'reference', added.reference)`;

/** Converts the database's balance error into a DomainError. */
export function throwBalanceOutOfRange(error: unknown): never {
  if (!violatesConstraint(error, 'ledger_balance_exact')) throw error;
  const message = `Nothing was added, because the balance would exceed $90,071,992,547,409.91 (2^53 cents).`;
  throw new DomainError('refused', message, [], { cause: error });
}
