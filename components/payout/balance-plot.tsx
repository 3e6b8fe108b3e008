import type { ReactNode } from 'react';
import { ChartDataTable } from '../plots/chart-data-table.tsx';
import { type AxisLabel, PlotFrame, percent, StretchedPath } from '../plots/plot-frame.tsx';
import { fractionOf } from '../plots/scale.ts';
import { stepPath } from '../plots/step-path.ts';
import { classNames } from '../ui/class-names.ts';
import { dateFormat } from '../ui/date-format.ts';
import { formatDay } from '../ui/dates.tsx';
import { formatCents } from '../ui/money.tsx';
import { dollarLabels } from './axis-dollars.ts';
import { type BalanceLine, type BalanceStep, balanceLine } from './balance-line.ts';

export type BalancePlotProps = {
  month: { start: Date; end: Date };
  timeZone: string;
  now: Date;
  openingCents: number;
  steps: BalanceStep[];
};

export function BalancePlot({ steps, openingCents, ...month }: BalancePlotProps) {
  const line = balanceLine(month.month, month.now, openingCents, steps);
  const sentence = balanceSentence(line, formatDay(new Date(month.month.end.getTime() - 1), month.timeZone));
  return (
    <>
      <p className="mb-5 text-muted tabular-nums desk:min-h-12">{sentence}</p>
      <BalanceChart {...month} line={line} label={`Chart of the balance through the month. ${sentence}`}>
        <LastPoint line={line} />
      </BalanceChart>
      <ChartDataTable
        summary="Balance by day"
        caption="Balance at the end of each day it changed"
        columns={['Day', 'Balance']}
        rows={dayRows(steps, month.now, openingCents, month.timeZone)}
      />
    </>
  );
}

/** For a panel that already shows what will be due. */
export function BalanceSketch({ steps, openingCents, ...month }: BalancePlotProps) {
  const line = balanceLine(month.month, month.now, openingCents, steps);
  const sentence =
    soFar(line) + (line.scheduled.length > 0 ? ' The dashed line shows scheduled deliveries.' : '');
  return (
    <div>
      <BalanceChart
        {...month}
        line={line}
        label={`Chart of the balance through the month. ${sentence}`}
        height="h-28"
      />
      <p className="mt-1 text-small text-muted tabular-nums">{sentence}</p>
    </div>
  );
}

type BalanceChartProps = Omit<BalancePlotProps, 'openingCents' | 'steps'> & {
  line: BalanceLine;
  label: string;
  height?: string;
  children?: ReactNode;
};

function BalanceChart({ month, timeZone, line, label, height, children }: BalanceChartProps) {
  const { scale, todayX } = line;
  return (
    <PlotFrame
      label={label}
      yLabels={dollarLabels(scale)}
      xLabels={dayLabels(month, timeZone, todayX)}
      {...(height && { height })}
    >
      <line
        x1={percent(todayX)}
        x2={percent(todayX)}
        y1="0"
        y2="100%"
        className="stroke-line-firm"
        strokeDasharray="2 3"
      />
      <StretchedPath d={stepPath(line.past, todayX)} className="fill-none stroke-accent stroke-2" />
      <StretchedPath
        d={stepPath(line.scheduled, 1)}
        className="fill-none stroke-accent stroke-2 [stroke-dasharray:5_4]"
      />
      {children}
    </PlotFrame>
  );
}

/** In characters, on the narrowest plot. */
const amountLengthMax = 12;

function LastPoint({ line: { scale, lastCents, scheduled, todayX } }: { line: BalanceLine }) {
  const x = percent(scheduled.length > 0 ? 1 : todayX);
  const y = percent(1 - fractionOf(lastCents, scale));
  const amount = formatCents(lastCents);
  const anchor = scheduled.length > 0 || todayX > 0.65 ? 'end' : todayX < 0.35 ? 'start' : 'middle';
  return (
    <>
      <circle cx={x} cy={y} r="4" className="fill-accent stroke-raised stroke-2" />
      <text
        x={x}
        y={y}
        dx={{ start: 6, middle: 0, end: -6 }[anchor]}
        dy="-10"
        textAnchor={anchor}
        className={classNames(
          'fill-ink stroke-raised stroke-4 text-body font-semibold tabular-nums [paint-order:stroke]',
          // It would overlap the axis, and the sentence above has the amount.
          amount.length > amountLengthMax && '@max-2xs:hidden',
        )}
      >
        {amount}
      </text>
    </>
  );
}

const soFar = ({ todayCents }: BalanceLine) => `${capitalize(formatCents(todayCents))} so far.`;

function balanceSentence(line: BalanceLine, lastDay: string): string {
  const { lastCents, scheduled } = line;
  const today = soFar(line);
  if (scheduled.length === 0) return `${today} No more deliveries are scheduled this month.`;
  return `${today} With scheduled deliveries (dashed line), you’ll ${lastCents < 0 ? 'have a' : 'owe'} ${formatCents(lastCents)} on ${lastDay}.`;
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Labels today, and the ends of the month where they do not collide with it. */
function dayLabels(month: BalancePlotProps['month'], timeZone: string, todayX: number): AxisLabel[] {
  const dayOf = (instant: Date) => dateFormat({ timeZone, month: 'short', day: 'numeric' }).format(instant);
  const labels: AxisLabel[] = [
    { at: todayX, text: 'Today', anchor: anchorAt(todayX), className: 'fill-ink font-medium' },
  ];
  const addEnd = (at: number, instant: Date, anchor: 'start' | 'end') => {
    const gap = Math.abs(todayX - at);
    if (gap < 0.2) return;
    labels.push({ at, text: dayOf(instant), anchor, className: visibilityClass(gap) });
  };
  addEnd(0, month.start, 'start');
  addEnd(1, new Date(month.end.getTime() - 1), 'end');
  return labels;
}

function visibilityClass(gap: number): string {
  if (gap < 0.32) return 'hidden @md:inline';
  return gap < 0.38 ? 'hidden @2xs:inline' : '';
}

const anchorAt = (x: number) => (x < 0.1 ? 'start' : x > 0.9 ? 'end' : 'middle');

function dayRows(steps: BalanceStep[], now: Date, openingCents: number, timeZone: string) {
  const days = new Map([['Start of the month', openingCents]]);
  for (const { at, balanceCents } of steps) {
    days.set(formatDay(at, timeZone) + (at > now ? ' (scheduled)' : ''), balanceCents);
  }
  return [...days].map(([day, balanceCents]): { key: string; cells: [string, string] } => ({
    key: day,
    cells: [day, formatCents(balanceCents)],
  }));
}
