import type { AxisLabel } from '../plots/plot-frame.tsx';
import { fractionOf, type Scale } from '../plots/scale.ts';

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
