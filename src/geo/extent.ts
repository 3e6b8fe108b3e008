import { longitudeStretch } from './box.ts';
import { distanceMiles, type Position } from './position.ts';

export type Extent = { direction: string; miles: number };

const directions = ['North', 'Northeast', 'East', 'Southeast', 'South', 'Southwest', 'West', 'Northwest'];

/**
 * How far a service area extends from its center in the eight directions of the compass: the distance to the farthest
 * point where a straight line crosses its edge.
 * @returns zero miles in a direction in which the area does not lie
 */
export function extentsOf(center: Position, ring: readonly Position[]): Extent[] {
  return directions.map((direction, index) => {
    const edge = farthestCrossing(center, ring, (index * Math.PI) / 4);
    return { direction, miles: edge ? distanceMiles(center, edge) : 0 };
  });
}

function farthestCrossing(
  [longitude, latitude]: Position,
  ring: readonly Position[],
  bearing: number,
): Position | undefined {
  const stretch = longitudeStretch(latitude);
  const north = Math.cos(bearing);
  const east = Math.sin(bearing);
  let farthest = 0;
  // Coordinates as seen from the center, facing the direction. Starting at the center itself adds no crossing.
  let aheadBefore = 0;
  let asideBefore = 0;
  for (const [pointLongitude, pointLatitude] of ring) {
    const up = pointLatitude - latitude;
    const right = (pointLongitude - longitude) / stretch;
    const ahead = up * north + right * east;
    const aside = right * north - up * east;
    if (asideBefore > 0 !== aside > 0) {
      const share = asideBefore / (asideBefore - aside);
      farthest = Math.max(farthest, aheadBefore + share * (ahead - aheadBefore));
    }
    aheadBefore = ahead;
    asideBefore = aside;
  }
  if (farthest === 0) return undefined;
  return [longitude + farthest * east * stretch, latitude + farthest * north];
}
