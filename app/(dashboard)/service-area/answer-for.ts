import type { LatLng } from '#components/service-area/geometry.ts';
import { isInside } from '#components/service-area/is-inside.ts';
import type { PointAnswer } from '#components/service-area/point-answer.tsx';
import type { PriceStep } from '#components/service-area/price-plot.tsx';

const distanceMiles = (a: LatLng, b: LatLng) => {
  const r = Math.PI / 180;
  const h =
    Math.sin(((b[0] - a[0]) * r) / 2) ** 2 +
    Math.cos(a[0] * r) * Math.cos(b[0] * r) * Math.sin(((b[1] - a[1]) * r) / 2) ** 2;
  return 2 * 3958.7613 * Math.asin(Math.sqrt(h));
};

export type PricedArea = { centre: LatLng; prices: PriceStep[] };

/** What to say of a point; the same on the server and in the browser. */
export function answerFor(
  point: LatLng,
  area: readonly LatLng[],
  { centre, prices }: PricedArea,
): PointAnswer {
  const miles = distanceMiles(centre, point);
  return {
    point,
    isInside: isInside(point, area),
    distanceMiles: miles,
    priceCents: prices.find((step) => step.mile >= miles)?.priceCents ?? null,
  };
}
export { distanceMiles };
