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
  if (ended.length === 0) return 'No past months yet.';
  const balances = ended.map(({ balanceCents }) => balanceCents);
  const [lowest, highest] = [Math.min(...balances), Math.max(...balances)];
  if (lowest === highest)
    return `You ${lowest < 0 ? 'had' : 'owed'} ${amountOf(lowest)} at the end of each past month.`;
  // Among credits only, the range ends at the largest credit.
  const [from, to] = highest < 0 ? [highest, lowest] : [lowest, highest];
  const inMonths = (cents: number) => {
    const matches = ended.filter(({ balanceCents }) => balanceCents === cents);
    const when =
      matches.length > 1 ? `${matches.length} months` : matches.map(({ month }) => monthName(month));
    return `${amountOf(cents)} (${when})`;
  };
  return `Month-end balances ranged from ${inMonths(from)} to ${inMonths(to)}.`;
}

const amountOf = (cents: number) => `${cents < 0 ? 'a ' : ''}${formatCents(cents)}`;

/** `November`; twelve months have distinct names. */
export const monthName = (month: string) => formatMonth(`${month}T12:00:00Z`, 'UTC').replace(/ \d+$/, '');
