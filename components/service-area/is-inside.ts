import type { LatLng } from '#src/geo/geometry.ts';

/**
 * Whether a point lies in a ring; its edge and its corners belong to it. Straight in degrees, as the polygon is drawn
 * and kept, so a service area must not cross the 180th meridian.
 * @param ring closed or not, without holes
 */
export function isInside([lat, lng]: LatLng, ring: readonly LatLng[]): boolean {
  let crossings = 0;
  let previous = ring.at(-1);
  for (const corner of ring) {
    if (previous) {
      const [latA, lngA] = previous;
      const [latB, lngB] = corner;
      if (isOnEdge([lat, lng], previous, corner)) return true;
      // Half-open in latitude, so that a corner is crossed once and a level edge never.
      if (latA > lat !== latB > lat && lng < lngA + ((lat - latA) * (lngB - lngA)) / (latB - latA))
        crossings++;
    }
    previous = corner;
  }
  return crossings % 2 === 1;
}

/** A tenth of a millimetre: below what a coordinate of nine decimals says. */
const edgeDegrees = 1e-9;

function isOnEdge([lat, lng]: LatLng, [latA, lngA]: LatLng, [latB, lngB]: LatLng): boolean {
  if (lat < Math.min(latA, latB) - edgeDegrees || lat > Math.max(latA, latB) + edgeDegrees) return false;
  if (lng < Math.min(lngA, lngB) - edgeDegrees || lng > Math.max(lngA, lngB) + edgeDegrees) return false;
  const length = Math.hypot(latB - latA, lngB - lngA);
  const cross = (latB - latA) * (lng - lngA) - (lngB - lngA) * (lat - latA);
  return length === 0 || Math.abs(cross) <= edgeDegrees * length;
}
