import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import type { EntryKind, LedgerEntry } from './entry.ts';

export type EntryRow = Pick<LedgerEntry, 'kind' | 'description' | 'reference' | 'reverses'> &
  Record<'id' | 'amount_cents' | 'takes_effect_at', string> & { reversed_by: string | null };

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

export type EntryFilter = {
  kind?: EntryKind | undefined;
  /** First day of a month of the city, `2026-11-01`. */
  month?: string | undefined;
  /** A part of the description or reference, case-insensitive. */
  text?: string | undefined;
  /** Only entries that have taken effect by then. */
  until?: Date | undefined;
  /** Only entries up to this ID. */
  idMax?: number | undefined;
};

/** Lists are ordered from the latest entry to the earliest. */
type EntrySpan = {
  /** The ID of an entry; selects the earlier ones, which follow it. */
  after?: number | undefined;
  /** The ID of an entry; selects the later ones right before it. */
  before?: number | undefined;
  limit: number;
};

export type EntryPage = {
  entries: LedgerEntry[];
  /** Pass as `after` for the page of earlier entries; null if there are none. */
  next: number | null;
  /** Pass as `before` for the page of later entries; null on the page of the latest. */
  previous: number | null;
  /** How far the entries were searched, if that ended before the page was full: `next` or `previous` goes on from there. */
  searchedTo: Date | null;
};

/** A page reads at most so many entries to find those of a kind or with a text, so that it costs the same with any history. */
export const searchedMax = 2_000;

type FoundRow = EntryRow & { is_match: boolean; is_last: boolean };

/**
 * A page of a customer's entries, latest first. If `before` leaves less than a full page, the first page is returned.
 * @param options.limit the number of entries per page
 * @param options.after `next` of another page
 * @param options.before `previous` of another page
 */
export async function listEntries(
  db: Database,
  customerId: number,
  { after, before, limit, ...filter }: EntryFilter & EntrySpan,
): Promise<EntryPage> {
  // One more than the page, to know whether there is another page.
  const statement = selectEntries(customerId, filter, { after, before, limit: limit + 1 });
  const found = await db.execute<FoundRow>(statement);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const end = last && (last.is_last || found.length > limit) ? Number(last.id) : null;
  if (before !== undefined && end === null) return listEntries(db, customerId, { ...filter, limit });
  const page = rows.filter((row) => row.is_match).map(entryOf);
  const searchedTo = last?.is_last && page.length < limit ? new Date(last.takes_effect_at) : null;
  if (before !== undefined) {
    return { entries: page.toReversed(), next: page[0]?.id ?? end, previous: end, searchedTo };
  }
  return {
    entries: page,
    next: end,
    previous: after === undefined ? null : (page[0]?.id ?? end),
    searchedTo,
  };
}

/** Small enough that a long file does not occupy a database connection for long. */
const filePageSize = 1_000;

/**
 * All of a customer's entries for a file, latest first, in pages. What is added while they are read is left out, because the
 * file would have only the part of an import that is on later pages. It still can if another entry was added between the start and
 * the end of the import.
 */
export async function* entryPages(
  db: Database,
  customerId: number,
  filter: EntryFilter,
): AsyncGenerator<LedgerEntry[]> {
  const [newest] = await db.execute<{ id: number | null }>(sql`
    select max(id)::float8 as id from ledger_entries where customer_id = ${customerId}`);
  const span = { idMax: newest?.id ?? 0, limit: filePageSize };
  let after: number | undefined;
  do {
    const { entries, next } = await listEntries(db, customerId, { ...filter, ...span, after });
    yield entries;
    after = next ?? undefined;
  } while (after !== undefined);
}

/**
 * Whether an entry `e` takes effect in a month of its customer's city.
 * @param month its first day, `2026-11-01`
 */
export function isInMonth(customerId: number, month: string): SQL {
  // Subqueries that PostgreSQL runs once; with old statistics, it would run a join for each entry.
  const ofCity = (
    column: SQL,
  ) => sql`(select ${column} from cities join customers on customers.city_id = cities.id
    where customers.id = ${customerId})`;
  // The range can use the index, and is wider than the month in any zone: their clocks are at most 14 hours from UTC.
  return sql`e.takes_effect_at > (${month}::date - interval '15 hours') at time zone 'UTC'
    and e.takes_effect_at < (${month}::date + interval '1 month 15 hours') at time zone 'UTC'
    and ledger_month(e.takes_effect_at, ${ofCity(sql`timezone`)}, ${ofCity(sql`month_starts`)}) = ${month}::date`;
}

/**
 * Selects a customer's entries as `EntryRow`, latest first, but those before another one in ascending order, and the last
 * entry that was searched, whether it matches or not.
 */
export function selectEntries(
  customerId: number,
  filter: EntryFilter,
  { after, before, limit }: EntrySpan,
): SQL {
  const conditions = [sql`e.customer_id = ${customerId}`];
  if (filter.until) conditions.push(sql`e.takes_effect_at <= ${filter.until.toISOString()}::timestamptz`);
  if (filter.idMax !== undefined) conditions.push(sql`e.id <= ${filter.idMax}`);
  if (filter.month) conditions.push(isInMonth(customerId, filter.month));
  const matches = [sql`true`];
  if (filter.kind) matches.push(sql`e.kind = ${filter.kind}`);
  if (filter.text) {
    const pattern = `%${filter.text.replace(/[\\%_]/g, '\\$&')}%`;
    matches.push(sql`(e.description ilike ${pattern} or e.reference ilike ${pattern})`);
  }
  const keyOf = (id: number) => sql`(select takes_effect_at, id from ledger_entries
    where customer_id = ${customerId} and id = ${id})`;
  if (after !== undefined) conditions.push(sql`(e.takes_effect_at, e.id) < ${keyOf(after)}`);
  if (before !== undefined) conditions.push(sql`(e.takes_effect_at, e.id) > ${keyOf(before)}`);
  const direction = before === undefined ? sql`desc` : sql`asc`;
  const searched = Math.max(searchedMax, limit);
  const order = sql`e.takes_effect_at ${direction}, e.id ${direction}`;
  return sql`
    select e.*,
      (select reference from ledger_entries o where o.customer_id = e.customer_id and o.id = e.reverses_id) as reverses,
      (select reference from ledger_entries r where r.customer_id = e.customer_id and r.reverses_id = e.id) as reversed_by
    from (
      select e.*, ${sql.join(matches, sql` and `)} as is_match, row_number() over (order by ${order}) = ${searched} as is_last
      from ledger_entries e where ${sql.join(conditions, sql` and `)}
      order by ${order} limit ${searched}) e
    where is_match or is_last
    order by ${order} limit ${limit}`;
}
