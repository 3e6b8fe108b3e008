import { type LatLng, stretchAt } from '#src/geo/geometry.ts';

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
  const north = Math.cos(bearing);
  const east = Math.sin(bearing);
  let farthest = 0;
  // Seen from the center with the direction straight ahead. To begin at the center itself adds nothing.
  let aheadBefore = 0;
  let asideBefore = 0;
  for (const [pointLat, pointLng] of ring) {
    const up = pointLat - lat;
    const right = (pointLng - lng) / stretch;
    const ahead = up * north + right * east;
    const aside = right * north - up * east;
    if (asideBefore > 0 !== aside > 0) {
      const share = asideBefore / (asideBefore - aside);
      farthest = Math.max(farthest, aheadBefore + share * (ahead - aheadBefore));
    }
    aheadBefore = ahead;
    asideBefore = aside;
  }
  return farthest > 0 ? [lat + farthest * north, lng + farthest * east * stretch] : undefined;
}
