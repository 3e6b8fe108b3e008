import { formatDate, formatTime, zoneName } from '../ui/dates.tsx';
import { Money } from '../ui/money.tsx';
import { Badge } from '../ui/notice.tsx';
import { type EntryKind, entryKinds } from './entries-filter.tsx';

export type Entry = {
  id: number;
  takesEffectAt: Date;
  kind: EntryKind;
  description: string;
  reference: string;
  amountCents: number;
};

type EntriesTableProps = { entries: Entry[]; timeZone: string; now: Date };

/** What makes up the balance, latest first. On a phone each entry is a small block of its own. */
export function EntriesTable({ entries, timeZone, now }: EntriesTableProps) {
  return (
    <table className="block w-full sm:table">
      <caption className="sr-only">Entries, latest first; dates in {zoneName(timeZone)}</caption>
      <thead className="sr-only sm:not-sr-only">
        <tr className="border-b border-line-firm text-left text-small text-muted">
          <th scope="col" className="py-2 pr-4 font-medium">
            Date, {zoneName(timeZone)}
          </th>
          <th scope="col" className="py-2 pr-4 font-medium">
            What
          </th>
          <th scope="col" className="py-2 pr-4 font-medium">
            Kind
          </th>
          <th scope="col" className="py-2 text-right font-medium">
            Amount
          </th>
        </tr>
      </thead>
      <tbody className="block divide-y divide-line sm:table-row-group">
        {entries.map((entry) => (
          <EntryRow key={entry.id} entry={entry} timeZone={timeZone} isBooked={entry.takesEffectAt > now} />
        ))}
      </tbody>
    </table>
  );
}

function EntryRow({ entry, timeZone, isBooked }: { entry: Entry; timeZone: string; isBooked: boolean }) {
  const { takesEffectAt, description, reference, kind, amountCents } = entry;
  return (
    <tr className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 py-3 sm:table-row">
      <td className="text-small text-muted tabular-nums sm:py-3 sm:pr-4 sm:align-top sm:whitespace-nowrap">
        <time dateTime={takesEffectAt.toISOString()}>
          {formatDate(takesEffectAt, timeZone)}, {formatTime(takesEffectAt, timeZone)}
        </time>
      </td>
      <td className="col-start-1 min-w-0 sm:py-3 sm:pr-4 sm:align-top">
        <span className="block">{description}</span>
        <span className="block font-mono text-small text-muted">{reference}</span>
      </td>
      <td className="col-start-1 text-small text-muted sm:py-3 sm:pr-4 sm:align-top">
        <span className="flex flex-wrap items-center gap-2">
          {entryKinds[kind]}
          {isBooked && <Badge tone="neutral">Booked</Badge>}
        </span>
      </td>
      <td className="col-start-2 row-start-1 text-right sm:py-3 sm:align-top sm:whitespace-nowrap">
        <Money amountCents={amountCents} className="font-medium" />
      </td>
    </tr>
  );
}
