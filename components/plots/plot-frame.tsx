import type { ReactNode } from 'react';
import { classNames } from '../ui/class-names.ts';

export type AxisLabel = { at: number; text: string; anchor?: 'start' | 'middle' | 'end'; className?: string };

type PlotFrameProps = {
  /** For screen readers; the data table has the figures. */
  label: string;
  /** From 0 at the bottom to 1 at the top. */
  yLabels: AxisLabel[];
  /** From 0 at the left to 1 at the right. */
  xLabels: AxisLabel[];
  /** Utility classes for the height of the plot. */
  height?: string;
  /** SVG elements; positions in percent, sizes in pixels. */
  children: ReactNode;
};

/** Positions are percentages, so that lines stretch with the page while text keeps its size. */
export function PlotFrame({ label, yLabels, xLabels, height = 'h-48 sm:h-56', children }: PlotFrameProps) {
  const longestLabel = yLabels.reduce((a, b) => (b.text.length > a.length ? b.text : a), '');
  return (
    <div role="img" aria-label={label} className="@container">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-small">
        <div className={classNames('relative tabular-nums', height)}>
          <span aria-hidden="true" className="invisible">
            {longestLabel}
          </span>
          <svg
            aria-hidden="true"
            textAnchor="end"
            dominantBaseline="central"
            className="absolute inset-0 size-full overflow-visible fill-muted"
          >
            {yLabels.map(({ at, text }) => (
              <text key={at} x="100%" y={percent(1 - at)}>
                {text}
              </text>
            ))}
          </svg>
        </div>
        <svg className={classNames('w-full overflow-visible', height)} aria-hidden="true">
          <g className="stroke-line">
            {yLabels.map(({ at }) => (
              <line key={at} x1="0" x2="100%" y1={percent(1 - at)} y2={percent(1 - at)} />
            ))}
          </g>
          {children}
        </svg>
        <svg
          aria-hidden="true"
          textAnchor="middle"
          className="col-start-2 h-7 w-full overflow-visible fill-muted"
        >
          {xLabels.map(({ at, text, anchor, className }) => (
            <text key={`${at} ${text}`} x={percent(at)} y="20" textAnchor={anchor} className={className}>
              {text}
            </text>
          ))}
        </svg>
      </div>
    </div>
  );
}

/** `37.5%` */
export function percent(fraction: number): string {
  return `${Math.round(fraction * 1e4) / 100}%`;
}

/** Width and height of the box that paths are drawn in; `StretchedPath` fits it to the plot. */
export const pathSize = 1000;

/** Stretches a path from a box of `pathSize` to the plot and keeps the line's width. */
export function StretchedPath({ d, className }: { d: string; className: string }) {
  return (
    <svg
      x="0"
      y="0"
      width="100%"
      height="100%"
      viewBox={`0 0 ${pathSize} ${pathSize}`}
      preserveAspectRatio="none"
      className="overflow-visible"
      aria-hidden="true"
    >
      <path d={d} className={classNames('[vector-effect:non-scaling-stroke]', className)} />
    </svg>
  );
}
