/** A place as the city record gives it: `[latitude, longitude]` in degrees. */
export type LatLng = [lat: number, lng: number];

/** In degrees. */
export type Bounds = { south: number; west: number; north: number; east: number };

/** @throws RangeError without any point */
export function boundsOf(points: readonly LatLng[]): Bounds {
  if (points.length === 0) throw new RangeError('Bounds need at least one point.');
  const bounds = { south: Infinity, west: Infinity, north: -Infinity, east: -Infinity };
  for (const [lat, lng] of points) {
    bounds.south = Math.min(bounds.south, lat);
    bounds.north = Math.max(bounds.north, lat);
    bounds.west = Math.min(bounds.west, lng);
    bounds.east = Math.max(bounds.east, lng);
  }
  return bounds;
}

/** How many degrees of longitude are as long as one of latitude, at this latitude. */
export function stretchAt(lat: number): number {
  return 1 / Math.max(Math.cos((lat * Math.PI) / 180), 0.05);
}

/**
 * A box around the middle of `bounds` that is as wide as it is tall on the ground.
 * @param factor its side in longer sides of `bounds`
 */
export function squareAround(bounds: Bounds, factor: number): Bounds {
  const lat = (bounds.south + bounds.north) / 2;
  const lng = (bounds.west + bounds.east) / 2;
  const stretch = stretchAt(lat);
  const longerSide = Math.max(bounds.north - bounds.south, (bounds.east - bounds.west) / stretch, 0.01);
  const half = (longerSide * factor) / 2;
  return { south: lat - half, north: lat + half, west: lng - half * stretch, east: lng + half * stretch };
}

export function overlaps(a: Bounds, b: Bounds): boolean {
  return a.west <= b.east && b.west <= a.east && a.south <= b.north && b.south <= a.north;
}

/**
 * Web Mercator, the projection of the interactive map, so that the drawn picture and the map agree.
 * @returns x to the east and y to the south, in units of one degree of longitude
 */
export function projected([lat, lng]: LatLng): [x: number, y: number] {
  const radians = (lat * Math.PI) / 180;
  return [lng, (-Math.log(Math.tan(Math.PI / 4 + radians / 2)) * 180) / Math.PI];
}
