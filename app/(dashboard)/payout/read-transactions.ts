import { entryFilter } from '#components/payout/transactions-query.ts';
import type { TransactionsQuery } from '#components/payout/transactions-url.ts';
import { type Services, services } from '#src/api/services.ts';
import { type EntryPage, listEntries } from '#src/ledger/list-entries.ts';
import { firstMonth } from '#src/ledger/read-statement.ts';

const pageSize = 25;

export type FoundTransactions = {
  /** Null while the customer's other searches run. */
  page: EntryPage | null;
  /** The first month with transactions. */
  first: string | undefined;
};

export async function readTransactions(
  customerId: number,
  query: TransactionsQuery,
): Promise<FoundTransactions> {
  const { db, replicaReads, searches } = services();
  const { after, before, ...filter } = query;
  const isSearch = Object.values(filter).some((value) => value !== undefined);
  const end = isSearch ? searches.begin(customerId) : () => {};
  const read = async (from: Services['db']) => {
    const span = { after, before, limit: pageSize };
    const [page, first] = await Promise.all([
      end && listEntries(from, customerId, { ...entryFilter(filter), ...span }),
      firstMonth(from, customerId),
    ]);
    return { page, first };
  };
  // A replica may not have the entry that the page follows.
  const isFirst = after === undefined && before === undefined;
  try {
    return await (isFirst ? replicaReads.read(read) : read(db));
  } finally {
    end?.();
  }
}
