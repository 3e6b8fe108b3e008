import { formatMonth } from '../ui/dates.tsx';
import { formatCents } from '../ui/money.tsx';

export type MonthBalance = {
  /** First day of the month, `2026-11-01`. */
  month: string;
  /** At the end of the month; negative for a credit. */
  balanceCents: number;
};

/** @param months the last one is the current month, which is left out */
export function monthsSentence(months: MonthBalance[]): string {
  const ended = months.slice(0, -1);
  if (ended.length === 0) return 'No month has ended yet.';
  const balances = ended.map(({ balanceCents }) => balanceCents);
  const [lowest, highest] = [Math.min(...balances), Math.max(...balances)];
  if (lowest === highest)
    return `${amountOf(lowest)} at the end of each month before this one.`.replace(/^a/, 'A');
  // Among credits only, the largest credit is the maximum.
  const [least, most] = highest < 0 ? [highest, lowest] : [lowest, highest];
  const inMonths = (cents: number) => {
    const those = ended.filter(({ balanceCents }) => balanceCents === cents);
    const when = those.length > 1 ? `${those.length} months` : those.map(({ month }) => monthName(month));
    return `${amountOf(cents)} in ${when}`;
  };
  return `At the end of the months before this one: most ${inMonths(most)}, least ${inMonths(least)}.`;
}

const amountOf = (cents: number) => `${cents < 0 ? 'a ' : ''}${formatCents(cents)}`;

/** `November`; twelve months have distinct names. */
export const monthName = (month: string) => formatMonth(`${month}T12:00:00Z`, 'UTC').replace(/ \d+$/, '');
