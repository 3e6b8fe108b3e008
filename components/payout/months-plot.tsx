import { ChartDataTable } from '../plots/chart-data-table.tsx';
import { PlotFrame, percent } from '../plots/plot-frame.tsx';
import { fractionOf, scaleFor } from '../plots/scale.ts';
import { formatMonth } from '../ui/dates.tsx';
import { formatCents } from '../ui/money.tsx';
import { dollarLabels } from './axis-dollars.ts';
import { type MonthBalance, monthName, monthsSentence } from './months-sentence.ts';

export function MonthsPlot({ months }: { months: MonthBalance[] }) {
  const scale = scaleFor(
    months.map(({ balanceCents }) => balanceCents),
    10_000,
  );
  const width = 1 / Math.max(months.length, 1);
  const zero = fractionOf(0, scale);
  const sentence = monthsSentence(months);
  return (
    <>
      <p className="mb-5 text-muted tabular-nums desk:min-h-12">{sentence}</p>
      <PlotFrame
        label={`Bar chart of the balance at the end of each of the last 12 months. The last bar is this month, including scheduled deliveries. ${sentence}`}
        yLabels={dollarLabels(scale)}
        xLabels={months.flatMap(({ month }, index) => monthLabels(month, (index + 0.5) * width))}
      >
        {months.map(({ month, balanceCents }, index) => {
          const top = fractionOf(balanceCents, scale);
          const isCurrent = index === months.length - 1;
          return (
            <rect
              key={month}
              x={percent((index + 0.18) * width)}
              width={percent(0.64 * width)}
              y={percent(1 - Math.max(top, zero))}
              height={percent(Math.abs(top - zero))}
              rx="2"
              className={
                isCurrent ? 'fill-accent' : 'fill-[color-mix(in_oklab,var(--accent)_65%,var(--raised))]'
              }
            />
          );
        })}
        <line x1="0" x2="100%" y1={percent(1 - zero)} y2={percent(1 - zero)} className="stroke-line-firm" />
      </PlotFrame>
      <ChartDataTable
        summary="Balance by month"
        caption="Balance at the end of each of the last 12 months"
        columns={['Month', 'Month-end balance']}
        rows={months.toReversed().map(({ month, balanceCents }, index) => ({
          key: month,
          cells: [
            formatMonth(`${month}T12:00:00Z`, 'UTC') + (index === 0 ? ' (scheduled)' : ''),
            formatCents(balanceCents),
          ],
        }))}
      />
    </>
  );
}

/** `Nov`, or `N` on a narrow plot. */
function monthLabels(month: string, at: number) {
  const name = monthName(month);
  return [
    { at, text: name.slice(0, 3), className: 'hidden @md:inline' },
    { at, text: name.slice(0, 1), className: '@md:hidden' },
  ];
}
