'use client';

import { dollarsOf } from '#src/money.ts';
import { ChartDataTable } from '../plots/chart-data-table.tsx';
import { dollarLabels, fractionOf, scaleFor } from '../plots/geometry.ts';
import { PlotFrame, percent } from '../plots/plot-frame.tsx';
import { monthTitle } from '../ui/dates.tsx';
import { statementUrl } from './statement.tsx';

type MonthBalance = {
  /** `2026-11` */
  month: string;
  /** At the end of the month; negative for a credit. */
  balanceCents: number;
};

type MonthsPlotProps = {
  months: MonthBalance[];
  /** The balance without what is scheduled for the rest of the current month. */
  todayCents: number;
  /** With a transaction: those before have no statement. */
  firstMonth: string | undefined;
};

/** A client component, so that the page does not send its markup twice. */
export function MonthsPlot({ months, todayCents, firstMonth }: MonthsPlotProps) {
  const scale = scaleFor([todayCents, ...months.map(({ balanceCents }) => balanceCents)], 10_000);
  const width = 1 / Math.max(months.length, 1);
  const [zero, today] = [fractionOf(0, scale), fractionOf(todayCents, scale)];
  const end = fractionOf(months.at(-1)?.balanceCents ?? todayCents, scale);
  const hasScheduled = end !== today;
  const columnAt = (index: number) => ({
    x: percent((index + 0.18) * width),
    width: percent(0.64 * width),
    rx: 2,
  });
  const past = months.slice(0, -1);
  const sentence = monthsSentence(months);
  return (
    <>
      <p className="mb-5 text-muted tabular-nums desk:min-h-12">{sentence}</p>
      <PlotFrame
        label={`Bar chart of the balance at the end of each of the last 12 months. The last bar is this month${hasScheduled ? '; its dashed part is scheduled' : ''}. ${sentence}`}
        yLabels={dollarLabels(scale)}
        xLabels={months.flatMap(({ month }, index) =>
          monthLabels(month, (index + 0.5) * width, index % 2 !== past.length % 2),
        )}
      >
        <g className={pastClass}>
          {past.map(({ month, balanceCents }, index) => (
            <rect key={month} {...columnAt(index)} {...between(zero, fractionOf(balanceCents, scale))} />
          ))}
        </g>
        <rect {...columnAt(past.length)} {...between(zero, today)} className="fill-accent" />
        {hasScheduled && (
          <rect {...columnAt(past.length)} {...between(today, end)} className={scheduledClass} />
        )}
        <line x1="0" x2="100%" y1={percent(1 - zero)} y2={percent(1 - zero)} className="stroke-line-firm" />
      </PlotFrame>
      <ChartDataTable
        summary="Balance and statement by month"
        caption="Balance at the end of each of the last 12 months"
        columns={['Month', 'Month-end balance']}
        rows={months.toReversed().map(({ month, balanceCents }, index) => ({
          ...((index === 0 || (firstMonth && month >= firstMonth)) && { href: statementUrl(month) }),
          name: monthTitle(month) + (index === 0 && hasScheduled ? ' (scheduled)' : ''),
          value: dollarsOf(balanceCents),
        }))}
      />
    </>
  );
}

const pastClass = 'fill-[color-mix(in_oklab,var(--color-accent)_65%,var(--color-raised))]';
/** Dashed, as in the plot of the month. */
const scheduledClass = 'fill-raised stroke-accent stroke-[1.5] [stroke-dasharray:5_4]';

function between(a: number, b: number) {
  return { y: percent(1 - Math.max(a, b)), height: percent(Math.abs(a - b)) };
}

/** `Nov`, or `N` on a narrow plot, where each second month is left out if it is narrower still. */
function monthLabels(month: string, at: number, isLeftOut: boolean) {
  const name = monthName(month);
  return [
    { at, text: name.slice(0, 3), className: 'hidden @md:inline' },
    { at, text: name.slice(0, 1), className: isLeftOut ? 'hidden @[12rem]:inline @md:hidden' : '@md:hidden' },
  ];
}

/** @param months the last one is the current month, which is left out */
export function monthsSentence(months: MonthBalance[]): string {
  const ended = months.slice(0, -1);
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

const amountOf = (cents: number) => `${cents < 0 ? 'a ' : ''}${dollarsOf(cents)}`;

/** `November`; twelve months have distinct names. */
const monthName = (month: string) => monthTitle(month).replace(/ \d+$/, '');
