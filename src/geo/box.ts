import type { BBox } from 'geojson';

/** How many degrees of longitude are as long as one of latitude. */
export function longitudeStretch(latitude: number): number {
  return 1 / Math.max(Math.cos((latitude * Math.PI) / 180), 0.05);
}

/** The longer side on the ground, in degrees of latitude. */
export function longerSideDegrees([west, south, east, north]: BBox): number {
  return Math.max(north - south, (east - west) / longitudeStretch((south + north) / 2));
}

/**
 * A square on the ground around the middle of another box.
 * @param factor the side of the square, as a multiple of the box's longer side
 */
export function squareAround(box: BBox, factor: number): BBox {
  const [west, south, east, north] = box;
  const latitude = (south + north) / 2;
  const longitude = (west + east) / 2;
  const half = (Math.max(longerSideDegrees(box), 0.01) * factor) / 2;
  const halfWidth = half * longitudeStretch(latitude);
  return [longitude - halfWidth, latitude - half, longitude + halfWidth, latitude + half];
}

export function overlaps(a: BBox, b: BBox): boolean {
  return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];
}
