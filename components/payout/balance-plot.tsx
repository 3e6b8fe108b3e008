import { dollarsOf } from '#src/money.ts';
import { ChartDataTable } from '../plots/chart-data-table.tsx';
import { fractionOf } from '../plots/geometry.ts';
import { formatDay } from '../ui/dates.tsx';
import { BalanceChart } from './balance-chart.tsx';
import { type BalanceLine, type BalancePlotProps, balanceLine, chartOf, soFar } from './balance-line.ts';

export function BalancePlot(plot: BalancePlotProps) {
  const line = balanceLine(plot);
  const sentence = balanceSentence(line, formatDay(plot.month.end.getTime() - 1, plot.timeZone));
  return (
    <>
      <p className="mb-5 text-muted tabular-nums desk:min-h-12">{sentence}</p>
      <BalanceChart
        {...chartOf(line, plot)}
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
        rows={dayRows(plot)}
      />
    </>
  );
}

function balanceSentence(line: BalanceLine, lastDay: string): string {
  const { lastCents, scheduled } = line;
  const today = soFar(line);
  if (scheduled.length === 0) return `${today} No more transactions are scheduled this month.`;
  return `${today} With scheduled transactions (dashed line), you’ll ${lastCents < 0 ? 'have a' : 'owe'} ${dollarsOf(lastCents)} on ${lastDay}.`;
}

function dayRows({ steps, now, openingCents, timeZone }: BalancePlotProps) {
  const days = new Map([['Start of the month', openingCents]]);
  for (const { at, balanceCents } of steps) {
    days.set(formatDay(at, timeZone) + (at > now ? ' (scheduled)' : ''), balanceCents);
  }
  return [...days].map(([day, balanceCents]) => ({ name: day, value: dollarsOf(balanceCents) }));
}
