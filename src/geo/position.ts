import type { BBox } from 'geojson';

/**
 * The one coordinate type inside: longitude first, in degrees, the order of GeoJSON (RFC 7946 §3.1.1), turf, and TopoJSON.
 * Other orders are converted where they enter or leave: the stored polygon and its API field by `parseRing` and
 * `formatRing`, Leaflet's by components/service-area/leaflet.ts, and what a person types by `parsePosition`.
 *
 * This module is part of the browser bundle, so it imports only types.
 */
export type Position = [longitude: number, latitude: number];

/** @param text `[[latitude,longitude],…]`, as `cities.polygon_points` stores it */
export function parseRing(text: string): Position[] {
  const pairs: [latitude: number, longitude: number][] = JSON.parse(text);
  return pairs.map(([latitude, longitude]) => [longitude, latitude]);
}

/** The inverse of `parseRing`. */
export function formatRing(ring: readonly Position[]): string {
  return JSON.stringify(ring.map(([longitude, latitude]) => [latitude, longitude]));
}

/** The Earth's mean radius (IUGG) in international miles. */
const earthRadiusMiles = 6_371.0088 / 1.609344;

/** Of latitude. */
export const milesPerDegree = (earthRadiusMiles * Math.PI) / 180;

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** The great-circle distance by the haversine formula, which deliveries are priced by. */
export function distanceMiles([lng1, lat1]: Position, [lng2, lat2]: Position): number {
  const halfLat = Math.sin((radians(lat2) - radians(lat1)) / 2) ** 2;
  const halfLng = Math.sin(radians(lng2 - lng1) / 2) ** 2;
  const chord = Math.min(1, halfLat + Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * halfLng);
  return 2 * earthRadiusMiles * Math.asin(Math.sqrt(chord));
}

/**
 * Whether a position lies in a ring; its edges and corners belong to it. Edges are straight in degrees, as the map draws
 * them, so a service area must not cross the 180th meridian.
 * @param ring closed or not, without holes
 */
export function isInside(position: Position, ring: readonly Position[]): boolean {
  const [lng, lat] = position;
  let crossings = 0;
  for (const [index, corner] of ring.entries()) {
    const previous = ring.at(index - 1) ?? corner;
    if (isOnEdge(position, previous, corner)) return true;
    const [lngA, latA] = previous;
    const [lngB, latB] = corner;
    // Half-open in latitude: a corner counts as one crossing, and a level edge as none.
    if (latA > lat !== latB > lat && lng < lngA + ((lat - latA) * (lngB - lngA)) / (latB - latA)) crossings++;
  }
  return crossings % 2 === 1;
}

/** A tenth of a millimeter, below the precision of nine decimals. */
const edgeToleranceDegrees = 1e-9;

function isOnEdge([lng, lat]: Position, [lngA, latA]: Position, [lngB, latB]: Position): boolean {
  const tolerance = edgeToleranceDegrees;
  if (lat < Math.min(latA, latB) - tolerance || lat > Math.max(latA, latB) + tolerance) return false;
  if (lng < Math.min(lngA, lngB) - tolerance || lng > Math.max(lngA, lngB) + tolerance) return false;
  const length = Math.hypot(latB - latA, lngB - lngA);
  const cross = (latB - latA) * (lng - lngA) - (lngB - lngA) * (lat - latA);
  return Math.abs(cross) <= tolerance * length;
}

/** How many degrees of longitude are as long as one of latitude. */
export function longitudeStretch(latitude: number): number {
  return 1 / Math.max(Math.cos(radians(latitude)), 0.05);
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
