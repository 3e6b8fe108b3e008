'use client';

import { type AxisLabel, PlotFrame, percent, StretchedPath } from '../plots/plot-frame.tsx';
import { classNames } from '../ui/class-names.ts';

type BalanceChartProps = {
  /** For screen readers. */
  label: string;
  yLabels: AxisLabel[];
  xLabels: AxisLabel[];
  /** 0 to 1 within the month. */
  todayX: number;
  pastPath: string;
  scheduledPath: string;
  /** The end of the line, from 0 to 1. */
  lastPoint?: { x: number; y: number; text: string };
  /** Utility classes. */
  height?: string;
};

/** A client component, so that the page does not send its markup twice. */
export function BalanceChart({ todayX, pastPath, scheduledPath, lastPoint, ...frame }: BalanceChartProps) {
  return (
    <PlotFrame {...frame}>
      <line
        x1={percent(todayX)}
        x2={percent(todayX)}
        y1="0"
        y2="100%"
        className="stroke-line-firm"
        strokeDasharray="2 3"
      />
      <StretchedPath d={pastPath} className="fill-none stroke-accent stroke-2" />
      <StretchedPath d={scheduledPath} className="fill-none stroke-accent stroke-2 [stroke-dasharray:5_4]" />
      {lastPoint && <LastPoint {...lastPoint} />}
    </PlotFrame>
  );
}

/** In characters, on the narrowest plot. */
const amountLengthMax = 12;

function LastPoint({ x, y, text }: NonNullable<BalanceChartProps['lastPoint']>) {
  const anchor = x > 0.65 ? 'end' : x < 0.35 ? 'start' : 'middle';
  const position = { x: percent(x), y: percent(1 - y) };
  return (
    <>
      <circle cx={position.x} cy={position.y} r="4" className="fill-accent stroke-raised stroke-2" />
      <text
        {...position}
        dx={{ start: 6, middle: 0, end: -6 }[anchor]}
        dy="-10"
        textAnchor={anchor}
        className={classNames(
          'fill-ink stroke-raised stroke-4 text-body font-semibold tabular-nums [paint-order:stroke]',
          // It would overlap the axis, and the sentence above has the amount.
          text.length > amountLengthMax && '@max-2xs:hidden',
        )}
      >
        {text}
      </text>
    </>
  );
}
