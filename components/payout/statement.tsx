import type { EntryKind } from '#src/ledger/entry.ts';
import type { MonthTotal, Statement } from '#src/ledger/read-statement.ts';
import { dollarsOf } from '#src/money.ts';
import { formatDate, formatDay, zoneName } from '../ui/dates.tsx';

type StatementLine = { name: string; amount: string; isBalance?: true };

const pluralNames: Record<EntryKind, string> = {
  delivery: 'Deliveries',
  adjustment: 'Adjustments',
  credit: 'Credits',
  payment: 'Payments',
};

export const statementUrl = (month: string) => `/payout/${month}`;

/** `Nov 1, 2026 to Nov 30, 2026, Pacific time` */
export function periodName({ start, end }: { start: Date; end: Date }, timeZone: string): string {
  const lastDay = formatDate(end.getTime() - 1, timeZone);
  return `${formatDate(start, timeZone)} to ${lastDay}, ${zoneName(timeZone)}`;
}

/** From the opening balance to the closing one. */
export function statementLines({ openingCents, totals, closingCents }: Statement): StatementLine[] {
  return [
    ...openingLines(openingCents, totals),
    { name: 'Closing balance', amount: dollarsOf(closingCents), isBalance: true },
  ];
}

/** Everything that the closing balance is made of. */
export function openingLines(openingCents: number | bigint, totals: MonthTotal[]): StatementLine[] {
  return [
    { name: 'Opening balance', amount: dollarsOf(openingCents) },
    ...totals.map(({ kind, isScheduled, amountCents, entries }) => {
      const name = isScheduled ? `Scheduled ${pluralNames[kind].toLowerCase()}` : pluralNames[kind];
      return { name: `${name}\u00a0(${entries.toLocaleString('en-US')})`, amount: dollarsOf(amountCents) };
    }),
  ];
}

/** The sentence under a statement that can still change; undefined for a past month. */
export function openMonthNote(end: Date, now: Date, timeZone: string): string | undefined {
  if (end <= now) return undefined;
  return `As of ${formatDate(now, timeZone)}. Includes transactions scheduled through ${formatDay(end.getTime() - 1, timeZone)}.`;
}

export function SummaryTable({ caption, lines }: { caption: string; lines: StatementLine[] }) {
  return (
    <div className="@container">
      <table className="w-full tabular-nums @max-[20rem]:block">
        <caption className="sr-only">{caption}</caption>
        <tbody className="divide-y divide-line @max-[20rem]:block @max-[20rem]:*:flex @max-[20rem]:*:flex-wrap *:*:py-2.5 *:first:*:pt-0 *:last:*:pb-0">
          {lines.map(({ name, amount, isBalance }) => (
            <tr key={name} className={isBalance ? 'font-semibold' : 'font-normal'}>
              <th scope="row" className="pr-4 text-left [font-weight:inherit]">
                {name}
              </th>
              <td className="text-right whitespace-nowrap @max-[20rem]:ml-auto @max-[20rem]:whitespace-normal">
                {amount}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
