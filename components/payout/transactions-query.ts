import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import type { EntryKind } from '#src/ledger/entry.ts';
import type { EntryFilter } from '#src/ledger/list-entries.ts';
import { type TransactionFilter, type TransactionsQuery, transactionTypeNames } from './transactions-url.ts';

const types = Object.keys(transactionTypeNames) as EntryKind[];
const entryId = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional().catch(undefined);

const querySchema = z.object({
  type: z.enum(types).optional().catch(undefined),
  month: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
    .optional()
    .catch(undefined),
  search: z.string().trim().min(1).max(100).optional().catch(undefined),
  after: entryId,
  before: entryId,
});

/** Ignores invalid parameters. */
export function parseTransactionsQuery(parameters: Record<string, unknown>): TransactionsQuery {
  return querySchema.parse(parameters);
}

export function entryFilter({ type, month, search }: TransactionFilter): EntryFilter {
  return { kind: type, month: month && `${month}-01`, text: search };
}

/** Older months can still be selected by URL. */
const pastMonthChoices = 23;

/**
 * The months of the filter, latest first: the next one (for scheduled deliveries) and two years.
 * @param selected is included however old it is
 */
export function monthChoices(now: Date, timeZone: string, selected?: string): string[] {
  const current = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .toPlainYearMonth();
  const months = Array.from({ length: pastMonthChoices + 2 }, (_, index) =>
    current.add({ months: 1 }).subtract({ months: index }).toString(),
  );
  return selected === undefined || months.includes(selected)
    ? months
    : [...months, selected].toSorted().toReversed();
}
