import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import type { EntryKind } from '#src/ledger/entry.ts';
import type { EntryFilter } from '#src/ledger/list-entries.ts';
import { pageCursor } from '../ui/page-cursor.ts';
import { type TransactionFilter, type TransactionsQuery, transactionTypeNames } from './transactions-url.ts';

const types = Object.keys(transactionTypeNames) as EntryKind[];
/** PostgreSQL has no year 0. */
export const monthPattern = /^(?!0000)\d{4}-(0[1-9]|1[0-2])$/;

/** PostgreSQL refuses a text with a zero byte. */
const isStorable = (text: string) => !text.includes('\0');

const querySchema = z.object({
  type: z.enum(types).optional().catch(undefined),
  month: z.string().regex(monthPattern).optional().catch(undefined),
  search: z.string().trim().min(1).max(100).refine(isStorable).optional().catch(undefined),
  after: pageCursor,
  before: pageCursor,
});

/** Ignores invalid parameters. */
export function parseTransactionsQuery(parameters: Record<string, unknown>): TransactionsQuery {
  return querySchema.parse(parameters);
}

export function entryFilter({ type, month, search }: TransactionFilter): EntryFilter {
  return { kind: type, month: month && `${month}-01`, text: search };
}

/** Twenty years; older months can still be selected by URL. */
const monthsMax = 240;

/**
 * The months that can have transactions, latest first: from the next one (for scheduled deliveries) to the first.
 * @param first `2026-11`; undefined if there are no transactions
 */
export function monthChoices(now: Date, timeZone: string, first: string | undefined): string[] {
  const { oldest, next } = monthRange(now, timeZone, first);
  const count = oldest.until(next, { largestUnit: 'months' }).months + 1;
  return Array.from({ length: Math.min(count, monthsMax) }, (_, index) =>
    next.subtract({ months: index }).toString(),
  );
}

/** Whether a month can have transactions, however long ago it is. */
export function hasMonth(month: string, now: Date, timeZone: string, first: string | undefined): boolean {
  const { oldest, next } = monthRange(now, timeZone, first);
  return month >= oldest.toString() && month <= next.toString();
}

/** At least the current month and the next one. */
function monthRange(now: Date, timeZone: string, first: string | undefined) {
  const next = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .toPlainYearMonth()
    .add({ months: 1 });
  const current = next.subtract({ months: 1 });
  const oldest = first && first < current.toString() ? Temporal.PlainYearMonth.from(first) : current;
  return { oldest, next };
}
