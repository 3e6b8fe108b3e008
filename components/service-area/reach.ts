import { type LatLng, stretchAt } from './geometry.ts';

export type Reach = { direction: string; miles: number };

const directions = ['North', 'Northeast', 'East', 'Southeast', 'South', 'Southwest', 'West', 'Northwest'];

/**
 * How far the service area reaches from its center in the eight directions of the compass: to the farthest place where
 * a straight line crosses its edge.
 * @param distanceMiles the rule by which deliveries are measured
 * @returns zero miles where the area does not lie in that direction
 */
export function reachOf(
  centre: LatLng,
  ring: readonly LatLng[],
  distanceMiles: (a: LatLng, b: LatLng) => number,
): Reach[] {
  return directions.map((direction, index) => {
    const edge = farthestCrossing(centre, ring, (index * Math.PI) / 4);
    return { direction, miles: edge ? distanceMiles(centre, edge) : 0 };
  });
}

function farthestCrossing([lat, lng]: LatLng, ring: readonly LatLng[], bearing: number): LatLng | undefined {
  const stretch = stretchAt(lat);
  const [north, east] = [Math.cos(bearing), Math.sin(bearing)];
  // Seen from the center with the direction straight ahead: how far ahead, and how far aside.
  const seen = ([pointLat, pointLng]: LatLng) => {
    const [up, right] = [pointLat - lat, (pointLng - lng) / stretch];
    return { ahead: up * north + right * east, aside: right * north - up * east };
  };
  let farthest = 0;
  let previous = ring.at(-1);
  for (const point of ring) {
    const [a, b] = [seen(previous ?? point), seen(point)];
    if (a.aside > 0 !== b.aside > 0) {
      const share = a.aside / (a.aside - b.aside);
      farthest = Math.max(farthest, a.ahead + share * (b.ahead - a.ahead));
    }
    previous = point;
  }
  return farthest > 0 ? [lat + farthest * north, lng + farthest * east * stretch] : undefined;
}
