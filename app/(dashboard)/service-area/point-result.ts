import { isInside } from '#components/service-area/is-inside.ts';
import type { PointAnswer } from '#components/service-area/point-result.tsx';
import type { City } from '#src/cities/city.ts';
import { deliveryPriceCents } from '#src/cities/delivery-price.ts';
import { distanceMiles } from '#src/geo/distance.ts';
import type { LatLng } from '#src/geo/geometry.ts';

export type PricedCity = Pick<
  City,
  'basePriceCents' | 'deliveryPrices' | 'isActive' | 'latitude' | 'longitude'
>;

/**
 * What to say of a point; the same on the server and in the browser.
 * @param area every point of the service area
 */
export function answerFor(point: LatLng, area: readonly LatLng[], city: PricedCity): PointAnswer {
  const miles = milesBetween([Number(city.latitude), Number(city.longitude)], point);
  return {
    point,
    isInside: isInside(point, area),
    isStopped: !city.isActive,
    distanceMiles: miles,
    priceCents: deliveryPriceCents(city.basePriceCents, city.deliveryPrices, miles),
  };
}

/** The distance that deliveries are measured by, in miles. */
export function milesBetween(from: LatLng, to: LatLng): number {
  return distanceMiles({ latitude: from[0], longitude: from[1] }, { latitude: to[0], longitude: to[1] });
}
