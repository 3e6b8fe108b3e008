import { formatDate, formatTime, zoneName } from '../ui/dates.tsx';
import { Money } from '../ui/money.tsx';
import { Badge } from '../ui/notice.tsx';
import { type EntryKind, entryKindNames } from './entries-address.ts';

export type Entry = {
  id: number;
  takesEffectAt: Date;
  kind: EntryKind;
  description: string;
  reference: string;
  amountCents: number;
  /** The reference of the entry that this one takes back, or that takes this one back. */
  reverses: string | null;
  reversedBy: string | null;
};

type EntriesTableProps = { entries: Entry[]; timeZone: string; now: Date };

/** What makes up the balance, latest first. On a phone date and kind stand below the description, and what is booked below the amount. */
export function EntriesTable({ entries, timeZone, now }: EntriesTableProps) {
  return (
    <table className="w-full">
      <caption className="sr-only">Entries, latest first</caption>
      <thead>
        <tr className="border-b border-line-firm text-left text-small text-muted">
          <th scope="col" className="hidden py-2 pr-4 font-medium sm:table-cell">
            Date, {zoneName(timeZone)}
          </th>
          <th scope="col" className="py-2 pr-4 font-medium">
            What<span className="sm:hidden"> and when, {zoneName(timeZone)}</span>
          </th>
          <th scope="col" className="hidden py-2 pr-4 font-medium sm:table-cell">
            Kind
          </th>
          <th scope="col" className="py-2 text-right font-medium">
            Amount
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {entries.map((entry) => (
          <EntryRow key={entry.id} entry={entry} timeZone={timeZone} isBooked={entry.takesEffectAt > now} />
        ))}
      </tbody>
    </table>
  );
}

function EntryRow({ entry, timeZone, isBooked }: { entry: Entry; timeZone: string; isBooked: boolean }) {
  const when = (
    <time dateTime={entry.takesEffectAt.toISOString()} className="tabular-nums">
      {formatDate(entry.takesEffectAt, timeZone)}, {formatTime(entry.takesEffectAt, timeZone)}
    </time>
  );
  const kind = entryKindNames[entry.kind];
  const booked = isBooked && <Badge tone="neutral">Booked</Badge>;
  return (
    <tr className="align-top">
      <td className="hidden py-3 pr-4 whitespace-nowrap text-muted sm:table-cell">{when}</td>
      <td className="w-full py-3 pr-4 sm:w-auto">
        <span className="block">{entry.description}</span>
        <span className="block font-mono text-small text-muted">{entry.reference}</span>
        {entry.reverses && <span className="block text-small text-muted">Takes back {entry.reverses}</span>}
        {entry.reversedBy && (
          <span className="block text-small text-muted">Taken back by {entry.reversedBy}</span>
        )}
        <span className="flex flex-wrap gap-x-2.5 text-small text-muted sm:hidden">
          {when} <span>{kind}</span>
        </span>
      </td>
      <td className="hidden py-3 pr-4 wrap-normal sm:table-cell">
        {kind} {booked}
      </td>
      <td className="py-3 text-right font-medium wrap-normal sm:whitespace-nowrap">
        {/* Of a credit, its two words stay together above the amount. */}
        <Money
          amountCents={entry.amountCents}
          className={entry.amountCents < 0 ? 'inline-block min-w-17' : ''}
        />
        {booked && <span className="mt-1 block sm:hidden">{booked}</span>}
      </td>
    </tr>
  );
}
