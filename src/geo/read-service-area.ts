import { area } from '@turf/area';
import { centerOfMass } from '@turf/center-of-mass';
import { firstCrossing } from './first-crossing.ts';
import type { Position } from './position.ts';

/** A closed ring, and the corrections made to it. */
export type ImportedServiceArea = { ring: Position[]; notes: string[] };

const positionsMax = 100_000;

/**
 * Reads the one ring of a GeoJSON geometry (RFC 7946 §3.1) that is the service area; of several polygons, the largest.
 * @returns the closed ring, or what is wrong and where
 */
export function readServiceArea(geometry: unknown): ImportedServiceArea | string {
  if (!isRecord(geometry)) return 'The feature has no geometry.';
  const { type, coordinates } = geometry;
  if (type === 'Polygon') return readPolygon(coordinates, 'ring');
  if (type !== 'MultiPolygon') return 'The geometry must be a Polygon or a MultiPolygon.';
  return readLargest(Array.isArray(coordinates) ? coordinates : []);
}

/** The center of mass, in the plane of degrees. */
export function centerOf(ring: Position[]): Position {
  const [longitude = 0, latitude = 0] = centerOfMass(polygon(ring)).geometry.coordinates;
  return [longitude, latitude];
}

const polygon = (ring: Position[]) => ({ type: 'Polygon' as const, coordinates: [ring] });

/** Checks every polygon, so that a broken one is reported even if another is larger. */
function readLargest(polygons: unknown[]): ImportedServiceArea | string {
  let largest: (ImportedServiceArea & { squareMeters: number; index: number }) | undefined;
  for (const [index, rings] of polygons.entries()) {
    const part = readPolygon(rings, `polygon ${index}, ring`);
    if (typeof part === 'string') return part;
    const squareMeters = area(polygon(part.ring));
    if (!largest || squareMeters > largest.squareMeters) largest = { ...part, squareMeters, index };
  }
  if (!largest) return 'The MultiPolygon has no polygons.';
  const { ring, notes, index } = largest;
  if (polygons.length === 1) return { ring, notes };
  const note = `The largest of ${polygons.length} polygons was imported (polygon ${index}), because a city has one area.`;
  return { ring, notes: [...notes, note] };
}

function readPolygon(rings: unknown, name: string): ImportedServiceArea | string {
  if (!Array.isArray(rings) || rings.length === 0) return `${name} 0 is missing.`;
  if (rings.length > 1) return `${name} 1 is a hole. A service area must be one ring without holes.`;
  const read = readRing(rings[0], `${name} 0`);
  if (typeof read !== 'string' && area(polygon(read.ring)) === 0) return `${name} 0 encloses no area.`;
  return read;
}

/**
 * Checks a ring, closes it, and drops positions that repeat the one before.
 * @param where how messages name the ring: `polygon 0, ring 0`
 * @returns the ring, or what is wrong with it and at which index
 */
function readRing(ring: unknown, where: string): ImportedServiceArea | string {
  if (!Array.isArray(ring)) return `${where} is not a list of points.`;
  if (ring.length > positionsMax)
    return `${where} has ${ring.length} points. The maximum is ${positionsMax}.`;
  const positions: Position[] = [];
  const indexes: number[] = [];
  for (const [index, value] of ring.entries()) {
    const problem = positionProblem(value);
    if (problem) return `${where}, index ${index}: ${problem}`;
    const position: Position = [value[0], value[1]];
    const last = positions.at(-1);
    if (last && isSame(last, position)) continue;
    if (last && crossesAntimeridian(last, position)) return antimeridianProblem(where, index);
    positions.push(position);
    indexes.push(index);
  }
  const notes: string[] = [];
  const [first] = positions;
  const end = positions.at(-1);
  if (first && end && positions.length > 1 && isSame(first, end)) positions.pop();
  else if (first) notes.push(`${where} was open, so its first point was added at the end.`);
  if (!first || positions.length < 3) {
    return `${where} has ${positions.length} distinct point${positions.length === 1 ? '' : 's'}. An area needs at least three.`;
  }
  const last = positions.at(-1);
  if (last && crossesAntimeridian(last, first)) return antimeridianProblem(where, indexes.at(-1));
  const crossing = firstCrossing(positions);
  if (crossing) {
    const [a, b] = crossing.map((edge) => indexes[edge]);
    return `${where}: the line that starts at index ${a} meets the one that starts at index ${b}. The border of an area can’t touch or cross itself.`;
  }
  return { ring: [...positions, first], notes };
}

function positionProblem(position: unknown): string | undefined {
  if (!Array.isArray(position) || position.length < 2) return 'must be a pair of longitude and latitude.';
  const [longitude, latitude] = position as unknown[];
  if (typeof longitude !== 'number' || typeof latitude !== 'number')
    return 'longitude and latitude must be numbers.';
  if (!Number.isFinite(longitude) || !Number.isFinite(latitude)) return 'a number is too large.';
  if (Math.abs(latitude) > 90 && Math.abs(latitude) <= 180 && Math.abs(longitude) <= 90) {
    return `the second number isn’t a latitude. The axes look swapped: GeoJSON has longitude first.`;
  }
  if (Math.abs(longitude) > 180) return 'the longitude must be from -180 to 180.';
  if (Math.abs(latitude) > 90) return 'the latitude must be from -90 to 90.';
  return undefined;
}

/** RFC 7946 §3.1.9 has such shapes cut at the antimeridian. */
const crossesAntimeridian = (a: Position, b: Position) => Math.abs(a[0] - b[0]) > 180;

const antimeridianProblem = (where: string, index: number | undefined) =>
  `${where}, index ${index}: the ring crosses the antimeridian (180° longitude). Cut it there into two polygons, and keep one.`;

const isSame = (a: Position, b: Position) => a[0] === b[0] && a[1] === b[1];

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
