import { BalanceChart } from './balance-chart.tsx';
import { type BalancePlotProps, balanceLine, chartOf, soFar } from './balance-line.ts';

/** For a panel that already shows what will be due. */
export function BalanceSketch(plot: BalancePlotProps) {
  const line = balanceLine(plot);
  const sentence =
    soFar(line) + (line.scheduled.length > 0 ? ' The dashed line shows scheduled transactions.' : '');
  return (
    <div>
      <BalanceChart
        {...chartOf(line, plot)}
        label={`Chart of the balance through the month. ${sentence}`}
        height="h-28"
      />
      <p className="mt-1 text-small text-muted tabular-nums">{sentence}</p>
    </div>
  );
}
