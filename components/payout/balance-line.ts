import { dollarsOf } from '#src/money.ts';
import { capitalize } from '#src/text.ts';
import { dollarLabels, fractionOf, type PlotPoint, scaleFor, stepPath } from '../plots/geometry.ts';
import type { AxisLabel } from '../plots/plot-frame.tsx';
import { dateFormat } from '../ui/dates.tsx';

type BalanceStep = { at: Date; balanceCents: number };

export type BalancePlotProps = {
  month: { start: Date; end: Date };
  timeZone: string;
  now: Date;
  /** The balance at the start of the month. */
  openingCents: number;
  /** Within the month, sorted by time. */
  steps: BalanceStep[];
};

export function chartOf(
  line: BalanceLine,
  { month, timeZone }: Pick<BalancePlotProps, 'month' | 'timeZone'>,
) {
  const { scale, todayX, past, scheduled } = line;
  return {
    yLabels: dollarLabels(scale),
    xLabels: dayLabels(month, timeZone, todayX),
    todayX,
    pastPath: stepPath(past, todayX),
    scheduledPath: stepPath(scheduled, 1),
  };
}

export const soFar = ({ todayCents }: BalanceLine) => `${capitalize(dollarsOf(todayCents))} so far.`;

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
  if (gap < 0.32) return 'hidden @sm:inline';
  return gap < 0.38 ? 'hidden @2xs:inline' : '';
}

const anchorAt = (x: number) => (x < 0.1 ? 'start' : x > 0.9 ? 'end' : 'middle');

export type BalanceLine = ReturnType<typeof balanceLine>;

export function balanceLine({ month, now, openingCents, steps }: Omit<BalancePlotProps, 'timeZone'>) {
  const span = { min: month.start.getTime(), max: month.end.getTime() };
  const scale = scaleFor([openingCents, ...steps.map((step) => step.balanceCents)], 10_000);
  const todayX = Math.min(1, Math.max(0, fractionOf(now.getTime(), span)));
  const pointOf = ({ at, balanceCents }: BalanceStep): PlotPoint => ({
    x: fractionOf(at.getTime(), span),
    y: fractionOf(balanceCents, scale),
  });
  const isPast = ({ at }: BalanceStep) => at.getTime() <= now.getTime();
  const past = steps.filter(isPast);
  const upcoming = steps.filter((step) => !isPast(step));
  const todayCents = past.at(-1)?.balanceCents ?? openingCents;
  const today = { x: todayX, y: fractionOf(todayCents, scale) };
  return {
    scale,
    /** 0 to 1 within the month. */
    todayX,
    /** Up to today. */
    past: [{ x: 0, y: fractionOf(openingCents, scale) }, ...past.map(pointOf)],
    /** From today to the end of the month; the first point is today's balance. */
    scheduled: upcoming.length === 0 ? [] : [today, ...upcoming.map(pointOf)],
    todayCents,
    lastCents: upcoming.at(-1)?.balanceCents ?? todayCents,
  };
}
