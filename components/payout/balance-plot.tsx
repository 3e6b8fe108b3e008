import { dollarsOf } from '#src/money.ts';
import { ChartDataTable, type DataRow } from '../plots/chart-data-table.tsx';
import { fractionOf } from '../plots/geometry.ts';
import { formatDay } from '../ui/dates.tsx';
import { BalanceChart } from './balance-chart.tsx';
import {
  type BalanceLine,
  type BalancePlotProps,
  type BalanceStep,
  balanceLine,
  chartOf,
  soFar,
} from './balance-line.ts';

export function BalancePlot({ steps, openingCents, ...month }: BalancePlotProps) {
  const line = balanceLine(month.month, month.now, openingCents, steps);
  const sentence = balanceSentence(line, formatDay(new Date(month.month.end.getTime() - 1), month.timeZone));
  return (
    <>
      <p className="mb-5 text-muted tabular-nums desk:min-h-12">{sentence}</p>
      <BalanceChart
        {...chartOf(line, month)}
        label={`Chart of the balance through the month. ${sentence}`}
        lastPoint={{
          x: line.scheduled.length > 0 ? 1 : line.todayX,
          y: fractionOf(line.lastCents, line.scale),
          text: dollarsOf(line.lastCents),
        }}
      />
      <ChartDataTable
        summary="Balance by day"
        caption="Balance at the end of each day it changed"
        columns={['Day', 'Balance']}
        rows={dayRows(steps, month.now, openingCents, month.timeZone)}
      />
    </>
  );
}

function balanceSentence(line: BalanceLine, lastDay: string): string {
  const { lastCents, scheduled } = line;
  const today = soFar(line);
  if (scheduled.length === 0) return `${today} No more deliveries are scheduled this month.`;
  return `${today} With scheduled deliveries (dashed line), you’ll ${lastCents < 0 ? 'have a' : 'owe'} ${dollarsOf(lastCents)} on ${lastDay}.`;
}

function dayRows(steps: BalanceStep[], now: Date, openingCents: number, timeZone: string) {
  const days = new Map([['Start of the month', openingCents]]);
  for (const { at, balanceCents } of steps) {
    days.set(formatDay(at, timeZone) + (at > now ? ' (scheduled)' : ''), balanceCents);
  }
  return [...days].map(([day, balanceCents]): DataRow => ({ name: day, value: dollarsOf(balanceCents) }));
}
