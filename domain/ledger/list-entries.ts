import type { Database } from '#db/client.ts';
import { type EntryFilter, findEntries } from '#db/queries/ledger.ts';
import type { LedgerEntry } from './entry.ts';

export type { EntryFilter } from '#db/queries/ledger.ts';

export type EntryPage = {
  entries: LedgerEntry[];
  /** Pass as `after` for the next page. */
  next: number | null;
};

/**
 * A customer's entries, latest first.
 * @param options.most entries on the page
 * @param options.after `next` of the page before
 */
export async function listEntries(
  db: Database,
  customerId: number,
  options: EntryFilter & { after?: number | undefined; most: number },
): Promise<EntryPage> {
  const { after, most, ...filter } = options;
  const found = await findEntries(db, customerId, filter, { after, most: most + 1 });
  const entries = found.slice(0, most);
  return { entries, next: found.length > most ? (entries.at(-1)?.id ?? null) : null };
}
