import { z } from 'zod';
import type { EntriesQuery, EntriesRequest } from '#components/payout/entries-address.ts';
import { entryKinds } from '#src/ledger/entry.ts';
import type { EntryFilter } from '#src/ledger/list-entries.ts';

const entryId = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional().catch(undefined);

const querySchema = z.object({
  kind: z.enum(entryKinds).optional().catch(undefined),
  month: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
    .optional()
    .catch(undefined),
  search: z.string().trim().min(1).max(100).optional().catch(undefined),
  after: entryId,
  before: entryId,
});

/** What an address asks of the entries; a part that makes no sense asks for nothing. */
export function entriesQuery(parameters: Record<string, unknown>): EntriesRequest {
  return querySchema.parse(parameters);
}

export function entryFilter({ kind, month, search }: EntriesQuery): EntryFilter {
  return { kind, month: month && `${month}-01`, text: search };
}
