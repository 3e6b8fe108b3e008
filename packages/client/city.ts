import type { City } from './generated/schemas.ts';

/** In decimal degrees. */
export type Point = { latitude: number; longitude: number };

/** A delivery over at most `milesMax` miles, and over more than the step before, costs `priceCents` in all. */
export type PriceStep = { milesMax: number; priceCents: number };

export type DeliveryCheck = {
  /** Whether the city is active, the point is in its service area, and the delivery has a price. */
  delivers: boolean;
  isInServiceArea: boolean;
  /** From the center of the city, in a straight line. */
  distanceMiles: number;
  /** Null beyond the last step of the price table. */
  priceCents: number | null;
};

/** @returns the price table, by rising distance; the city does not deliver beyond the last step */
export function priceTable({
  base_price,
  delivery_prices,
}: Pick<City, 'base_price' | 'delivery_prices'>): PriceStep[] {
  const { items } = JSON.parse(delivery_prices) as { items: { mile: number; amount: number }[] };
  const baseCents = Math.round(base_price * 100);
  return items
    .map(({ mile, amount }) => ({ milesMax: mile, priceCents: baseCents + Math.round(amount * 100) }))
    .sort((one, other) => one.milesMax - other.milesMax);
}

/** @returns the corners of the service area; the last one repeats the first */
export function serviceArea({ polygon_points }: Pick<City, 'polygon_points'>): Point[] {
  const pairs = JSON.parse(polygon_points) as [latitude: number, longitude: number][];
  return pairs.map(([latitude, longitude]) => ({ latitude, longitude }));
}

/** Whether a city delivers to a point, and for how much. */
export function checkDelivery(city: City, point: Point): DeliveryCheck {
  const center = { latitude: Number(city.latitude), longitude: Number(city.longitude) };
  const miles = distanceMiles(center, point);
  const step = priceTable(city).find(({ milesMax }) => milesMax >= miles);
  const isInServiceArea = isInside(point, serviceArea(city));
  return {
    delivers: city.is_active && isInServiceArea && step !== undefined,
    isInServiceArea,
    distanceMiles: miles,
    priceCents: step?.priceCents ?? null,
  };
}

/** The Earth's mean radius (IUGG) in international miles. */
const earthRadiusMiles = 6_371.0088 / 1.609344;

/** The great-circle distance by the haversine formula. */
function distanceMiles(one: Point, other: Point): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const halfLatitude = Math.sin(radians(other.latitude - one.latitude) / 2) ** 2;
  const halfLongitude = Math.sin(radians(other.longitude - one.longitude) / 2) ** 2;
  const cosines = Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude));
  return 2 * earthRadiusMiles * Math.asin(Math.sqrt(Math.min(1, halfLatitude + cosines * halfLongitude)));
}

/** By the number of edges between the point and the east. Edges and corners belong to the area. */
function isInside(point: Point, corners: Point[]): boolean {
  let isInArea = false;
  let from = corners.at(-1);
  for (const to of corners) {
    if (from) {
      if (isOnEdge(point, from, to)) return true;
      const isBetween = from.latitude > point.latitude !== to.latitude > point.latitude;
      const slope = (to.longitude - from.longitude) / (to.latitude - from.latitude);
      if (isBetween && point.longitude < from.longitude + (point.latitude - from.latitude) * slope)
        isInArea = !isInArea;
    }
    from = to;
  }
  return isInArea;
}

/** A tenth of a millimeter. */
const toleranceDegrees = 1e-9;

function isOnEdge(point: Point, from: Point, to: Point): boolean {
  const [height, width] = [to.latitude - from.latitude, to.longitude - from.longitude];
  const [up, right] = [point.latitude - from.latitude, point.longitude - from.longitude];
  const isBeside = (offset: number, length: number) =>
    offset < Math.min(0, length) - toleranceDegrees || offset > Math.max(0, length) + toleranceDegrees;
  if (isBeside(up, height) || isBeside(right, width)) return false;
  return Math.abs(height * right - width * up) <= toleranceDegrees * Math.hypot(height, width);
}
