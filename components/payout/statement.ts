import type { EntryKind } from '#src/ledger/entry.ts';
import { formatDate, formatDay, formatMonth, zoneName } from '../ui/dates.tsx';
import { formatCents } from '../ui/money.tsx';

export type StatementLine = { name: string; amount: string; isBalance?: true };
export type StatementTotal = { kind: EntryKind; isScheduled: boolean; amountCents: number; entries: number };

const pluralNames: Record<EntryKind, string> = {
  delivery: 'Deliveries',
  adjustment: 'Adjustments',
  credit: 'Credits',
  payment: 'Payments',
};

export const statementUrl = (month: string) => `/payout/${month}`;

/** `November 2026` */
export const monthTitle = (month: string) => formatMonth(`${month}-01T12:00:00Z`, 'UTC');

/** `Nov 1, 2026 to Nov 30, 2026, Pacific time` */
export function periodName({ start, end }: { start: Date; end: Date }, timeZone: string): string {
  const lastDay = formatDate(end.getTime() - 1, timeZone);
  return `${formatDate(start, timeZone)} to ${lastDay}, ${zoneName(timeZone)}`;
}

type Summary = {
  openingCents: number;
  totals: StatementTotal[];
  closingCents: number;
};

/** From the opening balance to the closing one. */
export function statementLines({ openingCents, totals, closingCents }: Summary): StatementLine[] {
  return [
    ...openingLines(openingCents, totals),
    { name: 'Closing balance', amount: formatCents(closingCents), isBalance: true },
  ];
}

/** Everything that the closing balance is made of. */
export function openingLines(openingCents: number, totals: StatementTotal[]): StatementLine[] {
  return [
    { name: 'Opening balance', amount: formatCents(openingCents) },
    ...totals.map(({ kind, isScheduled, amountCents, entries }) => {
      const name = isScheduled ? `Scheduled ${pluralNames[kind].toLowerCase()}` : pluralNames[kind];
      return { name: `${name} (${entries.toLocaleString('en-US')})`, amount: formatCents(amountCents) };
    }),
  ];
}

/** The sentence under a statement that can still change; undefined for a past month. */
export function openMonthNote(end: Date, now: Date, timeZone: string): string | undefined {
  if (end <= now) return undefined;
  return `As of ${formatDate(now, timeZone)}. Includes deliveries scheduled through ${formatDay(end.getTime() - 1, timeZone)}.`;
}
