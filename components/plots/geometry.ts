import { type AxisLabel, pathSize } from './plot-frame.tsx';

/** An axis with round values that include zero. */
type Scale = { min: number; max: number; ticks: number[] };

const stepsMax = 5;

/**
 * @param values in any unit
 * @param fallbackMax the top of the axis when every value is zero
 */
export function scaleFor(values: readonly number[], fallbackMax: number): Scale {
  const low = values.reduce((a, b) => Math.min(a, b), 0);
  const high = values.reduce((a, b) => Math.max(a, b), 0);
  const top = low === high ? fallbackMax : high;
  const step = niceStep((top - low) / stepsMax);
  const first = Math.floor(low / step);
  const last = Math.ceil(top / step);
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { min: first * step, max: last * step, ticks };
}

/** The next of 1, 2, 2.5 and 5 times a power of ten. */
function niceStep(min: number): number {
  const power = 10 ** Math.floor(Math.log10(min));
  const factor = [1, 2, 2.5, 5].find((candidate) => candidate * power >= min * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** @returns 0 to 1 along the axis */
export function fractionOf(value: number, { min, max }: { min: number; max: number }): number {
  return max === min ? 0 : (value - min) / (max - min);
}

const currency = { style: 'currency', currency: 'USD' } as const;
const short = new Intl.NumberFormat('en-US', { ...currency, notation: 'compact', maximumFractionDigits: 2 });
const withCents = new Intl.NumberFormat('en-US', currency);

/** `$500`, `$1.25K`, or `$20 credit`; cents on all labels or on none. */
export function dollarLabels(scale: Scale): AxisLabel[] {
  const format = scale.ticks.every((cents) => cents % 100 === 0) ? short : withCents;
  return scale.ticks.map((cents) => {
    const dollars = format.format(Math.abs(cents) / 100);
    return { at: fractionOf(cents, scale), text: cents < 0 ? `${dollars} credit` : dollars };
  });
}

/** Drops each label that is closer than `gapMin` to an earlier one. */
export function spaced(labels: AxisLabel[], gapMin: number): AxisLabel[] {
  const spacedLabels: AxisLabel[] = [];
  for (const label of labels) {
    if (spacedLabels.every((other) => Math.abs(other.at - label.at) >= gapMin)) spacedLabels.push(label);
  }
  return spacedLabels;
}

/** A point of a plot: both from 0 to 1, `y` up. */
export type PlotPoint = { x: number; y: number };

/**
 * A step line.
 * @param points sorted by x
 * @param endX where the line ends
 * @returns the `d` of a path in a box of `pathSize`; empty without points
 */
export function stepPath(points: readonly PlotPoint[], endX: number): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const moves = rest.map(({ x, y }) => `H${across(x)}V${down(y)}`);
  return `M${across(first.x)} ${down(first.y)}${moves.join('')}H${across(endX)}`;
}

const across = (x: number) => Math.round(x * pathSize * 10) / 10;
const down = (y: number) => Math.round((1 - y) * pathSize * 10) / 10;
