import type { ReactNode } from 'react';

export type AxisLabel = { at: number; text: string; anchor?: 'start' | 'middle' | 'end'; className?: string };

type PlotFrameProps = {
  /** What the plot says, for those who cannot see it; the table beside it has the figures. */
  label: string;
  /** From 0 at the bottom to 1 at the top. */
  yLabels: AxisLabel[];
  /** From 0 at the left to 1 at the right. */
  xLabels: AxisLabel[];
  /** Elements of an SVG without a view box: places in percent, sizes in pixels. */
  children: ReactNode;
};

/**
 * The axes of a plot. Lines stretch with the page while letters keep their size, so places are percentages and nothing
 * is scaled but the paths themselves.
 */
export function PlotFrame({ label, yLabels, xLabels, children }: PlotFrameProps) {
  const widest = yLabels.reduce((a, b) => (b.text.length > a.length ? b.text : a), '');
  return (
    <div role="img" aria-label={label} className="@container">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-small">
        <div className="relative h-48 tabular-nums sm:h-56">
          <span aria-hidden="true" className="invisible">
            {widest}
          </span>
          <svg aria-hidden="true" className="absolute inset-0 size-full overflow-visible fill-muted">
            {yLabels.map(({ at, text }) => (
              <text key={at} x="100%" y={percent(1 - at)} textAnchor="end" dominantBaseline="central">
                {text}
              </text>
            ))}
          </svg>
        </div>
        <svg className="h-48 w-full overflow-visible sm:h-56" aria-hidden="true">
          {yLabels.map(({ at }) => (
            <line
              key={at}
              x1="0"
              x2="100%"
              y1={percent(1 - at)}
              y2={percent(1 - at)}
              className="stroke-line"
            />
          ))}
          {children}
        </svg>
        <svg className="col-start-2 h-7 w-full overflow-visible fill-muted" aria-hidden="true">
          {xLabels.map(({ at, text, anchor, className }) => (
            <text
              key={`${at} ${text}`}
              x={percent(at)}
              y="20"
              textAnchor={anchor ?? 'middle'}
              className={className}
            >
              {text}
            </text>
          ))}
        </svg>
      </div>
    </div>
  );
}

/** Of labels along an axis, those that keep their distance; the first of two stays. */
export function spaced(labels: AxisLabel[], leastGap: number): AxisLabel[] {
  const kept: AxisLabel[] = [];
  for (const label of labels) {
    if (kept.every((other) => Math.abs(other.at - label.at) >= leastGap)) kept.push(label);
  }
  return kept;
}

/** `37.5%` */
export function percent(fraction: number): string {
  return `${Math.round(fraction * 1e4) / 100}%`;
}
