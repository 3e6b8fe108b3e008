import type { PriceStep } from '#src/cities/delivery-price.ts';
import { dollarsOf } from '#src/money.ts';
import { ChartDataTable } from '../plots/chart-data-table.tsx';
import { dollarLabels, fractionOf, scaleFor, spaced, stepPath } from '../plots/geometry.ts';
import { PlotFrame, percent, StretchedPath } from '../plots/plot-frame.tsx';
import { formatSetMiles, formatSpan } from './format.ts';

/** The price of a delivery by its distance from the center, as a step plot with its data table. */
export function PricePlot({ steps }: { steps: PriceStep[] }) {
  const last = steps.at(-1);
  const scale = scaleFor(
    steps.map((step) => step.priceCents),
    1000,
  );
  const points = steps.map((step, index) => ({
    x: fractionOf(steps[index - 1]?.milesMax ?? 0, { min: 0, max: last?.milesMax ?? 0 }),
    y: fractionOf(step.priceCents, scale),
  }));
  return (
    <>
      <PlotFrame
        label={`Step chart of the delivery price by distance. ${priceSentence(steps)}`}
        yLabels={dollarLabels(scale)}
        xLabels={mileLabels(steps)}
      >
        <StretchedPath d={stepPath(points, 1)} className="fill-none stroke-accent stroke-2" />
        {last && (
          <text
            x="100%"
            y={percent(1 - fractionOf(last.priceCents, scale))}
            dy="-8"
            textAnchor="end"
            className="fill-ink font-medium tabular-nums"
          >
            {dollarsOf(last.priceCents)}
          </text>
        )}
      </PlotFrame>
      <ChartDataTable
        summary="Prices as a table"
        caption="Price of a delivery by distance from the center"
        columns={['Distance from the center', 'Price']}
        rows={steps.map(({ milesMax, priceCents }, index) => ({
          name: formatSpan(steps[index - 1]?.milesMax, milesMax),
          value: dollarsOf(priceCents),
        }))}
      />
    </>
  );
}

/** The plot in a sentence. */
export function priceSentence(steps: PriceStep[]): string {
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last) return 'No prices are set.';
  const start = `A delivery costs ${dollarsOf(first.priceCents)} within ${formatSetMiles(first.milesMax)} of the center`;
  if (first === last) return `${start}. Contact us for a quote beyond that.`;
  return `${start} and ${dollarsOf(last.priceCents)} at ${formatSetMiles(last.milesMax)}. Contact us for a quote beyond that.`;
}

function mileLabels(steps: PriceStep[]) {
  const milesMax = steps.at(-1)?.milesMax ?? 0;
  const ends = [
    { at: 0, text: '0', anchor: 'start' as const },
    { at: 1, text: formatSetMiles(milesMax), anchor: 'end' as const },
  ];
  const between = steps.slice(0, -1).map((step) => ({
    at: step.milesMax / milesMax,
    text: String(step.milesMax),
    className: '@max-[12rem]:hidden',
  }));
  return spaced([...ends, ...between.filter(({ at }) => at < 0.75)], 0.09);
}
