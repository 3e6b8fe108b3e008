import type { ReactNode } from 'react';
import { type EntriesRequest, entriesHref } from '#components/payout/entries-address.ts';
import { EntriesFilter } from '#components/payout/entries-filter.tsx';
import { EntriesPager } from '#components/payout/entries-pager.tsx';
import { EntriesShown } from '#components/payout/entries-shown.tsx';
import { EntriesTable } from '#components/payout/entries-table.tsx';
import { formatDate } from '#components/ui/dates.tsx';
import { Empty, Panel } from '#components/ui/panel.tsx';
import { db } from '#db/client.ts';
import { listEntries } from '#src/ledger/list-entries.ts';
import { exactNumber } from '#src/money.ts';
import { entryFilter } from './entries-query.ts';
import { monthChoices } from './month-choices.ts';

const entriesOnPage = 25;
/** Where another page of entries begins, for the eye and the stylesheet. */
const shownId = 'entries-shown';

type EntriesProps = {
  customerId: number;
  timeZone: string;
  query: EntriesRequest;
};

export async function Entries({ customerId, timeZone, query }: EntriesProps) {
  const { after, before, ...narrowing } = query;
  const now = new Date();
  const span = { after, before, most: entriesOnPage };
  const page = await listEntries(db(), customerId, { ...entryFilter(narrowing), ...span });
  const hrefFor = (place: Pick<EntriesRequest, 'after' | 'before'>) =>
    `${entriesHref('/payout', { ...narrowing, ...place })}#${shownId}`;
  /** Only an address that somebody wrote leads there. */
  const isBeyond = page.entries.length === 0 && (after !== undefined || before !== undefined);
  const isAll = Object.values(query).every((part) => part === undefined);
  const isPart = !isAll || page.next !== null;
  if (page.entries.length === 0 && isAll) {
    return (
      <EntriesPanel>
        <Empty title="Nothing yet">
          Each delivery, credit and payment is listed here from when it is booked.
        </Empty>
      </EntriesPanel>
    );
  }
  return (
    <EntriesPanel
      csvHref={
        page.entries.length > 0 || isBeyond ? entriesHref('/payout/entries.csv', narrowing) : undefined
      }
    >
      <EntriesFilter query={narrowing} months={monthChoices(now, timeZone, narrowing.month)} />
      <EntriesShown
        id={shownId}
        name={nameOf(page.entries, timeZone)}
        address={entriesHref('/payout', query)}
      >
        {page.entries.length === 0 ? (
          <NoEntry isBeyond={isBeyond} />
        ) : (
          <EntriesTable
            entries={page.entries.map((entry) => ({ ...entry, amountCents: exactNumber(entry.amountCents) }))}
            timeZone={timeZone}
            now={now}
          />
        )}
      </EntriesShown>
      <EntriesPager
        newerHref={page.previous === null ? undefined : hrefFor({ before: page.previous })}
        latestHref={page.previous === null && !isBeyond ? undefined : hrefFor({})}
        olderHref={page.next === null ? undefined : hrefFor({ after: page.next })}
      />
      {isPart && (
        <p className="mt-4 hidden print:block">
          Not all entries are printed here. The CSV file has them all.
        </p>
      )}
    </EntriesPanel>
  );
}

/** @param csvHref left out where there is nothing to put into a file */
function EntriesPanel({ csvHref, children }: { csvHref?: string | undefined; children: ReactNode }) {
  return (
    <Panel
      id="entries"
      title="Entries"
      // Not a `Link`: a file is no page to move to.
      action={
        csvHref && (
          <a href={csvHref} className="hit inline-flex items-center print:hidden">
            <span className="link">Download CSV</span>
          </a>
        )
      }
      className="entries mt-4 sm:mt-6"
    >
      {children}
    </Panel>
  );
}

/** `Entries, Nov 3, 2026 to Nov 15, 2026` */
function nameOf(entries: { takesEffectAt: Date }[], timeZone: string): string {
  const days = [entries.at(-1), entries[0]].flatMap((one) =>
    one ? [formatDate(one.takesEffectAt, timeZone)] : [],
  );
  return days.length === 0 ? 'No entries' : `Entries, ${[...new Set(days)].join(' to ')}`;
}

function NoEntry({ isBeyond }: { isBeyond: boolean }) {
  if (isBeyond) return <Empty title="Nothing is here">Entries begin with the latest.</Empty>;
  return <Empty title="No entry matches">Choose another kind or month, or look for fewer words.</Empty>;
}
