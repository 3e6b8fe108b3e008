import { PlotFrame, percent } from '../plots/plot-frame.tsx';
import { fractionOf, scaleFor } from '../plots/scale.ts';
import { TableBehind } from '../plots/table-behind.tsx';
import { formatMonth } from '../ui/dates.tsx';
import { formatCents } from '../ui/money.tsx';
import { dollarLabels } from './axis-dollars.ts';

export type MonthBalance = {
  /** First day of the month, `2026-11-01`. */
  month: string;
  /** What was owed at the end of the month; negative for a credit. */
  balanceCents: number;
};

/** What was owed at the end of each of the last months, the current one last. */
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
        label={`Bars of the balance at the end of each of the last months. ${sentence}`}
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
      <TableBehind
        summary="The months as a table"
        caption="Balance at the end of each of the last months"
        columns={['Month', 'Balance at its end']}
        rows={months.toReversed().map(({ month, balanceCents }) => ({
          key: month,
          cells: [formatMonth(`${month}T12:00:00Z`, 'UTC'), formatCents(balanceCents)],
        }))}
      />
    </>
  );
}

function monthsSentence(months: MonthBalance[]): string {
  const sorted = months.toSorted((a, b) => a.balanceCents - b.balanceCents);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  if (!lowest || !highest) return 'No month has ended yet.';
  if (lowest.balanceCents === highest.balanceCents) {
    return `${highest.balanceCents < 0 ? 'A ' : ''}${formatCents(highest.balanceCents)} at the end of each month.`;
  }
  const inMonth = ({ month, balanceCents }: MonthBalance) =>
    `${balanceCents < 0 ? 'a ' : ''}${formatCents(balanceCents)} in ${monthName(month)}`;
  return `At each month’s end: most ${inMonth(highest)}, least ${inMonth(lowest)}.`;
}

/** `November`: of twelve months no two share a name. */
const monthName = (month: string) => formatMonth(`${month}T12:00:00Z`, 'UTC').replace(/ \d+$/, '');

/** `Nov` where the plot has room, else `N`. */
function monthLabels(month: string, at: number) {
  const name = monthName(month);
  return [
    { at, text: name.slice(0, 3), className: 'hidden @md:inline' },
    { at, text: name.slice(0, 1), className: '@md:hidden' },
  ];
}
