import { fractionOf, type Scale, scaleFor } from '../plots/scale.ts';
import { type PlotPoint, thinned } from '../plots/step-path.ts';

export type BalanceStep = { at: Date; balanceCents: number };

export type BalanceLine = {
  scale: Scale;
  /** Where now is between the ends of the month, from 0 to 1. */
  todayX: number;
  /** What has taken effect, to be drawn up to today. */
  past: PlotPoint[];
  /** What is booked, to be drawn from today to the month's end; its first point is today's balance. */
  ahead: PlotPoint[];
  todayCents: number;
  lastCents: number;
};

/** More columns than a plot has pixels would be work that nobody sees. */
const columns = 800;

/**
 * @param openingCents the balance as the month begins
 * @param steps the balance after each change, by time, all within the month
 */
export function balanceLine(
  month: { start: Date; end: Date },
  now: Date,
  openingCents: number,
  steps: readonly BalanceStep[],
): BalanceLine {
  const span = { min: month.start.getTime(), max: month.end.getTime() };
  const scale = scaleFor([openingCents, ...steps.map((step) => step.balanceCents)], 10_000);
  const todayX = Math.min(1, Math.max(0, fractionOf(now.getTime(), span)));
  const place = ({ at, balanceCents }: BalanceStep): PlotPoint => ({
    x: fractionOf(at.getTime(), span),
    y: fractionOf(balanceCents, scale),
  });
  const isPast = ({ at }: BalanceStep) => at.getTime() <= now.getTime();
  const done = steps.filter(isPast);
  const booked = steps.filter((step) => !isPast(step));
  const todayCents = done.at(-1)?.balanceCents ?? openingCents;
  return {
    scale,
    todayX,
    past: thinned([{ x: 0, y: fractionOf(openingCents, scale) }, ...done.map(place)], columns),
    ahead:
      booked.length === 0
        ? []
        : thinned([{ x: todayX, y: fractionOf(todayCents, scale) }, ...booked.map(place)], columns),
    todayCents,
    lastCents: booked.at(-1)?.balanceCents ?? todayCents,
  };
}
