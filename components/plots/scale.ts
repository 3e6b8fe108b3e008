/** An axis with round values that include zero. */
export type Scale = { min: number; max: number; ticks: number[] };

/**
 * @param values in any unit
 * @param fallbackMax the top of the axis when every value is zero
 * @param stepsMax of the axis
 */
export function scaleFor(values: readonly number[], fallbackMax: number, stepsMax = 5): Scale {
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
