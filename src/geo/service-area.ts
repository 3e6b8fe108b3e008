import { centroidOf, doubleArea, type Point } from './point.ts';
import { type CheckedRing, checkRing } from './ring.ts';

export type ServiceArea = { points: Point[]; notes: string[] };

/**
 * The one ring of a GeoJSON geometry that is the service area; of several polygons the largest.
 * @returns the closed ring, or what is wrong and where
 */
export function readServiceArea(geometry: unknown): ServiceArea | string {
  if (!isRecord(geometry)) return 'The feature has no geometry.';
  const { type, coordinates } = geometry;
  if (type === 'Polygon') return readPolygon(coordinates, 'ring');
  if (type !== 'MultiPolygon') return 'The geometry must be a Polygon or a MultiPolygon.';
  if (!Array.isArray(coordinates) || coordinates.length === 0) return 'The MultiPolygon has no polygons.';
  return readLargest(coordinates);
}

/** Every part is checked, so that a broken one is found even where another is larger. */
function readLargest(polygons: unknown[]): ServiceArea | string {
  let largest: (ServiceArea & { area: number; index: number }) | undefined;
  for (const [index, polygon] of polygons.entries()) {
    const area = readPolygon(polygon, `polygon ${index}, ring`);
    if (typeof area === 'string') return area;
    const size = Math.abs(doubleArea(area.points)) * Math.cos((centroidOf(area.points)[1] * Math.PI) / 180);
    if (!largest || size > largest.area) largest = { ...area, area: size, index };
  }
  if (!largest) return 'The MultiPolygon has no polygons.';
  const { points, notes, index } = largest;
  if (polygons.length === 1) return { points, notes };
  const note = `Of the ${polygons.length} polygons the largest was taken (polygon ${index}): a city has one area.`;
  return { points, notes: [...notes, note] };
}

function readPolygon(rings: unknown, name: string): CheckedRing | string {
  if (!Array.isArray(rings) || rings.length === 0) return `${name} 0 is missing.`;
  if (rings.length > 1) return `${name} 1 is a hole: a service area is one ring without holes.`;
  const ring = checkRing(rings[0], `${name} 0`);
  if (typeof ring !== 'string' && doubleArea(ring.points) === 0) return `${name} 0 encloses no area.`;
  return ring;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
