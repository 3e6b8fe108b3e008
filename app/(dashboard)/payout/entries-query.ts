import { z } from 'zod';
import type { EntriesQuery } from '#components/payout/entries-address.ts';
import { entryKinds } from '#domain/ledger/entry.ts';
import type { EntryFilter } from '#domain/ledger/list-entries.ts';

const querySchema = z.object({
  kind: z.enum(entryKinds).optional().catch(undefined),
  month: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
    .optional()
    .catch(undefined),
  search: z.string().trim().min(1).max(100).optional().catch(undefined),
  after: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional().catch(undefined),
});

export type EntriesRequest = EntriesQuery & { after?: number | undefined };

/** What an address asks of the entries; a part that makes no sense asks for nothing. */
export function entriesQuery(parameters: Record<string, unknown>): EntriesRequest {
  return querySchema.parse(parameters);
}

export function entryFilter({ kind, month, search }: EntriesQuery): EntryFilter {
  return { kind, month: month && `${month}-01`, text: search };
}
