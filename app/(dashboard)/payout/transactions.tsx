import type { ReactNode } from 'react';
import { TransactionsFilter } from '#components/payout/transactions-filter.tsx';
import { monthChoices } from '#components/payout/transactions-query.ts';
import { TransactionsTable } from '#components/payout/transactions-table.tsx';
import { csvUrl, type TransactionsQuery, transactionsUrl } from '#components/payout/transactions-url.ts';
import { formatDate } from '#components/ui/dates.tsx';
import { PagedRegion } from '#components/ui/paged-region.tsx';
import { Pager } from '#components/ui/pager.tsx';
import { Empty, Panel } from '#components/ui/panel.tsx';
import type { EntryPage } from '#src/ledger/list-entries.ts';
import { transactionsOf } from '../ledger.ts';
import type { FoundTransactions } from './read-transactions.ts';

/** Also the target of the pager's links and of the stylesheet. */
const pageId = 'transactions-page';

type TransactionsProps = FoundTransactions & {
  customerId: number;
  timeZone: string;
  query: TransactionsQuery;
};

export function Transactions({ customerId, page, first, timeZone, query }: TransactionsProps) {
  const { after, before, ...filter } = query;
  const now = new Date();
  const isUnfiltered = Object.values(query).every((value) => value === undefined);
  if (page?.entries.length === 0 && isUnfiltered) {
    return (
      <TransactionsPanel>
        <Empty title="No transactions yet">
          Deliveries, credits, and payments appear here as soon as they’re scheduled.
        </Empty>
      </TransactionsPanel>
    );
  }
  const filterForm = <TransactionsFilter filter={filter} months={monthChoices(now, timeZone, first)} />;
  if (!page) {
    return (
      <TransactionsPanel>
        {filterForm}
        <Empty title="Your other searches are still running">
          Wait for one to finish, and then try again.
        </Empty>
      </TransactionsPanel>
    );
  }
  const { entries, next, previous, searchedTo } = page;
  const pageUrl = (cursor: Pick<TransactionsQuery, 'after' | 'before'>) =>
    `${transactionsUrl({ ...filter, ...cursor })}#${pageId}`;
  /** Only a hand-written URL leads there. */
  const isPastEnd = entries.length === 0 && !searchedTo && (after !== undefined || before !== undefined);
  const [side, pager] = before ? ['after', 'Newer'] : ['before', 'Older'];
  const notSearched =
    searchedTo &&
    `Transactions ${side} ${formatDate(searchedTo, timeZone)} haven’t been searched yet. To search them, choose ${pager}.`;
  const hasFile = entries.length > 0 || isPastEnd || searchedTo !== null;
  return (
    <TransactionsPanel fileUrl={hasFile ? csvUrl(customerId, filter) : undefined}>
      {filterForm}
      <PagedRegion id={pageId} label={dateRange(page, timeZone)} url={transactionsUrl(query)}>
        {entries.length === 0 ? (
          <NoEntries isPastEnd={isPastEnd} notSearched={notSearched} />
        ) : (
          <>
            <TransactionsTable
              caption="Transactions, latest first"
              {...transactionsOf(entries, timeZone, now)}
            />
            {notSearched && <p className="mt-4 text-muted print:hidden">{notSearched}</p>}
          </>
        )}
      </PagedRegion>
      <Pager
        label="Transaction pages"
        newerUrl={previous === null ? undefined : pageUrl({ before: previous })}
        latestUrl={previous === null && !isPastEnd ? undefined : pageUrl({})}
        olderUrl={next === null ? undefined : pageUrl({ after: next })}
      />
      {(!isUnfiltered || next !== null) && (
        <p className="mt-4 hidden print:block">
          This page doesn’t list all transactions. Download the CSV file for the full list.
        </p>
      )}
    </TransactionsPanel>
  );
}

function NoEntries({ isPastEnd, notSearched }: { isPastEnd: boolean; notSearched: string | null }) {
  if (isPastEnd)
    return <Empty title="No transactions on this page">Go back to the latest transactions.</Empty>;
  if (notSearched) return <Empty title="No results yet">{notSearched}</Empty>;
  return <Empty title="No results">Try another type or month, or a shorter search.</Empty>;
}

/** @param fileUrl undefined when there is nothing to download */
function TransactionsPanel({ fileUrl, children }: { fileUrl?: string | undefined; children: ReactNode }) {
  return (
    <Panel
      id="transactions"
      title="Transactions"
      // A file is not a page, so this is not a `Link`.
      action={
        fileUrl && (
          <a href={fileUrl} className="hit inline-flex items-center print:hidden">
            <span className="link">Download CSV</span>
          </a>
        )
      }
      className="transactions mt-4 sm:mt-6"
    >
      {children}
    </Panel>
  );
}

/** `Transactions, Nov 3, 2026 to Nov 15, 2026` */
function dateRange({ entries, searchedTo }: EntryPage, timeZone: string): string {
  const days = [entries.at(-1), entries[0]].flatMap((one) =>
    one ? [formatDate(one.takesEffectAt, timeZone)] : [],
  );
  if (days.length === 0) return searchedTo ? 'No results yet' : 'No transactions';
  return `Transactions, ${[...new Set(days)].join(' to ')}`;
}
