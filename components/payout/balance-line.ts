import { fractionOf, type Scale, scaleFor } from '../plots/scale.ts';
import { type PlotPoint, thinPoints } from '../plots/step-path.ts';

export type BalanceStep = { at: Date; balanceCents: number };

export type BalanceLine = {
  scale: Scale;
  /** 0 to 1 within the month. */
  todayX: number;
  /** Up to today. */
  past: PlotPoint[];
  /** From today to the end of the month; the first point is today's balance. */
  scheduled: PlotPoint[];
  todayCents: number;
  lastCents: number;
};

/** About as many as a plot has pixels. */
const columns = 800;

/**
 * @param openingCents the balance at the start of the month
 * @param steps within the month, sorted by time
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
  const pointOf = ({ at, balanceCents }: BalanceStep): PlotPoint => ({
    x: fractionOf(at.getTime(), span),
    y: fractionOf(balanceCents, scale),
  });
  const isPast = ({ at }: BalanceStep) => at.getTime() <= now.getTime();
  const past = steps.filter(isPast);
  const upcoming = steps.filter((step) => !isPast(step));
  const todayCents = past.at(-1)?.balanceCents ?? openingCents;
  return {
    scale,
    todayX,
    past: thinPoints([{ x: 0, y: fractionOf(openingCents, scale) }, ...past.map(pointOf)], columns),
    scheduled:
      upcoming.length === 0
        ? []
        : thinPoints([{ x: todayX, y: fractionOf(todayCents, scale) }, ...upcoming.map(pointOf)], columns),
    todayCents,
    lastCents: upcoming.at(-1)?.balanceCents ?? todayCents,
  };
}
