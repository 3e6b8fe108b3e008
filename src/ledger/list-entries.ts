import type { Database } from '#db/client.ts';
import type { LedgerEntry } from './entry.ts';
import { type EntryFilter, type EntrySpan, findEntries } from './ledger-queries.ts';

export type { EntryFilter } from './ledger-queries.ts';

export type EntryPage = {
  entries: LedgerEntry[];
  /** Pass as `after` for the page of earlier entries; null where there are none. */
  next: number | null;
  /** Pass as `before` for the page of later entries; null on the page of the latest. */
  previous: number | null;
};

/**
 * A page of a customer's entries, latest first. Less than a page of later entries is the page of the latest.
 * @param options.most entries on the page
 * @param options.after `next` of another page
 * @param options.before `previous` of another page
 */
export async function listEntries(
  db: Database,
  customerId: number,
  { after, before, most, ...filter }: EntryFilter & EntrySpan,
): Promise<EntryPage> {
  // One more than is shown tells whether there are others.
  const found = await findEntries(db, customerId, filter, { after, before, most: most + 1 });
  const hasMore = found.length > most;
  if (before === undefined) {
    const entries = found.slice(0, most);
    const isLatest = after === undefined;
    return { entries, next: idOrNull(hasMore, entries.at(-1)), previous: idOrNull(!isLatest, entries[0]) };
  }
  if (!hasMore) return await listEntries(db, customerId, { ...filter, most });
  const entries = found.slice(1);
  return { entries, next: idOrNull(true, entries.at(-1)), previous: idOrNull(true, entries[0]) };
}

function idOrNull(isThere: boolean, entry: LedgerEntry | undefined): number | null {
  return (isThere && entry?.id) || null;
}
