import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import type { EntryKind, LedgerEntry } from './entry.ts';

type EntryRow = {
  id: string;
  kind: EntryKind;
  amount_cents: string;
  takes_effect_at: string;
  description: string;
  reference: string;
  reverses: string | null;
  reversed_by: string | null;
};

export function entryOf(row: EntryRow): LedgerEntry {
  return {
    id: Number(row.id),
    kind: row.kind,
    amountCents: BigInt(row.amount_cents),
    takesEffectAt: new Date(row.takes_effect_at),
    description: row.description,
    reference: row.reference,
    reverses: row.reverses,
    reversedBy: row.reversed_by,
  };
}

export type NewEntry = {
  username: string;
  kind: EntryKind;
  /** Signed. */
  amountCents: bigint;
  takesEffectAt: Date;
  description: string;
  reference: string;
};

/** What the audit keeps of an entry, of a row called `added`. */
const auditedEntry = sql`jsonb_build_object('id', added.id, 'kind', added.kind, 'amount_cents', added.amount_cents,
  'takes_effect_at', added.takes_effect_at, 'description', added.description, 'reference', added.reference)`;

/**
 * Adds an entry, its month's sum (a trigger of the same statement) and the audit.
 * @returns the entry; null when the reference is taken; undefined when there is no such customer
 */
export async function insertEntry(
  db: Database,
  actor: string,
  entry: NewEntry,
): Promise<LedgerEntry | null | undefined> {
  const [row] = await db.execute<EntryRow & { is_known: boolean }>(sql`
    with owner as (select id from customers where username = ${entry.username}),
    added as (
      insert into ledger_entries (customer_id, kind, amount_cents, takes_effect_at, description, reference)
      select id, ${entry.kind}, ${entry.amountCents.toString()}::bigint,
        ${entry.takesEffectAt.toISOString()}::timestamptz, ${entry.description}, ${entry.reference}
      from owner on conflict (customer_id, reference) do nothing returning *),
    audited as (
      insert into audit_entries (actor, action, customer_id, subject, after)
      select ${actor}, 'entry.added', added.customer_id, added.reference, ${auditedEntry} from added)
    select exists (select from owner) as is_known, added.*, null as reverses, null as reversed_by
    from (select) as one left join added on true`);
  if (!row?.is_known) return undefined;
  return row.id === null ? null : entryOf(row);
}

export type ReversalOutcome = {
  isCustomerKnown: boolean;
  isEntryKnown: boolean;
  isReversal: boolean;
  entry: LedgerEntry | null;
};

/** Adds the entry that takes another back, at the instant of the original, unless one does already. */
export async function insertReversal(
  db: Database,
  actor: string,
  input: { username: string; reference: string },
): Promise<ReversalOutcome> {
  const [row] = await db.execute<
    EntryRow & { is_customer_known: boolean; is_entry_known: boolean; is_reversal: boolean | null }
  >(sql`
    with owner as (select id from customers where username = ${input.username}),
    original as (
      select e.* from ledger_entries e join owner on owner.id = e.customer_id where e.reference = ${input.reference}),
    added as (
      insert into ledger_entries (customer_id, kind, amount_cents, takes_effect_at, description, reference, reverses_id)
      select customer_id, kind, -amount_cents, takes_effect_at, left('Reversal: ' || description, 500),
        left('reversal:' || reference, 200), id
      from original where reverses_id is null on conflict do nothing returning *),
    audited as (
      insert into audit_entries (actor, action, customer_id, subject, before, after)
      select ${actor}, 'entry.reversed', added.customer_id, ${input.reference},
        jsonb_build_object('id', original.id, 'amount_cents', original.amount_cents), ${auditedEntry}
      from added, original)
    select exists (select from owner) as is_customer_known, exists (select from original) as is_entry_known,
      (select reverses_id is not null from original) as is_reversal, added.*, ${input.reference}::text as reverses,
      null as reversed_by
    from (select) as one left join added on true`);
  return {
    isCustomerKnown: row?.is_customer_known ?? false,
    isEntryKnown: row?.is_entry_known ?? false,
    isReversal: row?.is_reversal ?? false,
    entry: row && row.id !== null ? entryOf(row) : null,
  };
}

export type EntryFilter = {
  kind?: EntryKind | undefined;
  /** First day of a month of the city, `2026-11-01`. */
  month?: string | undefined;
  /** Part of the description or of the reference, in any case. */
  text?: string | undefined;
};

/** Which entries of a list that is ordered from the latest to the earliest. */
export type EntrySpan = {
  /** The id of an entry: the ones that follow it, so the earlier ones. */
  after?: number | undefined;
  /** The id of an entry: the ones that come right before it, so the later ones. */
  before?: number | undefined;
  most: number;
};

/** A span of a customer's entries, latest first. */
export async function findEntries(
  db: Database,
  customerId: number,
  filter: EntryFilter,
  { after, before, most }: EntrySpan,
): Promise<LedgerEntry[]> {
  const conditions = [sql`e.customer_id = ${customerId}`];
  if (filter.kind) conditions.push(sql`e.kind = ${filter.kind}`);
  if (filter.month) {
    conditions.push(sql`e.takes_effect_at between ${filter.month}::date - interval '2 days'
      and ${filter.month}::date + interval '33 days'`);
    conditions.push(sql`ledger_month(e.takes_effect_at, (select cities.timezone from cities
      join customers on customers.city_id = cities.id where customers.id = ${customerId})) = ${filter.month}::date`);
  }
  if (filter.text) {
    const pattern = `%${filter.text.replace(/[\\%_]/g, '\\$&')}%`;
    conditions.push(sql`(e.description ilike ${pattern} or e.reference ilike ${pattern})`);
  }
  const placeOf = (id: number) => sql`(select takes_effect_at, id from ledger_entries
    where id = ${id} and customer_id = ${customerId})`;
  if (after !== undefined) conditions.push(sql`(e.takes_effect_at, e.id) < ${placeOf(after)}`);
  if (before !== undefined) conditions.push(sql`(e.takes_effect_at, e.id) > ${placeOf(before)}`);
  // The ones right before an entry are found by going up from it.
  const direction = before === undefined ? sql`desc` : sql`asc`;
  const rows = await db.execute<EntryRow>(sql`
    select e.*, o.reference as reverses, r.reference as reversed_by
    from ledger_entries e left join ledger_entries o on o.id = e.reverses_id
      left join ledger_entries r on r.reverses_id = e.id
    where ${sql.join(conditions, sql` and `)}
    order by e.takes_effect_at ${direction}, e.id ${direction} limit ${most}`);
  const entries = rows.map(entryOf);
  return before === undefined ? entries : entries.toReversed();
}
