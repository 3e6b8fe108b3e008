import { area } from '@turf/area';
import { centerOfMass } from '@turf/center-of-mass';
import { Temporal } from 'temporal-polyfill';
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
  if (!Array.isArray(coordinates) || coordinates.length === 0) return 'The MultiPolygon has no polygons.';
  return readLargest(coordinates);
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

type Edge = {
  index: number;
  from: Position;
  to: Position;
  left: number;
  right: number;
  low: number;
  high: number;
};

/**
 * Finds two edges of a ring that meet other than at the corner they share. A sweep from west to east compares each edge only
 * with those that reach its longitude. Why not turf: docs/decisions/0020-geometry.md.
 * @param corners of the ring, the first not repeated
 * @returns the indexes of the two edges' first corners
 */
function firstCrossing(corners: Position[]): [number, number] | undefined {
  const edges = corners.map((from, index) =>
    edgeOf(index, from, corners[(index + 1) % corners.length] ?? from),
  );
  let active: Edge[] = [];
  for (const edge of edges.toSorted((a, b) => a.left - b.left)) {
    active = active.filter((other) => other.right >= edge.left);
    const crossed = active.find(
      (other) => other.low <= edge.high && other.high >= edge.low && doMeet(edge, other, edges.length),
    );
    if (crossed) return [Math.min(crossed.index, edge.index), Math.max(crossed.index, edge.index)];
    active.push(edge);
  }
  return undefined;
}

function edgeOf(index: number, from: Position, to: Position): Edge {
  const [left, right] = from[0] < to[0] ? [from[0], to[0]] : [to[0], from[0]];
  const [low, high] = from[1] < to[1] ? [from[1], to[1]] : [to[1], from[1]];
  return { index, from, to, left, right, low, high };
}

function doMeet(a: Edge, b: Edge, count: number): boolean {
  if ((a.index + 1) % count === b.index) return turnsBack(a, b);
  if ((b.index + 1) % count === a.index) return turnsBack(b, a);
  const [d1, d2] = [side(b.from, b.to, a.from), side(b.from, b.to, a.to)];
  const [d3, d4] = [side(a.from, a.to, b.from), side(a.from, a.to, b.to)];
  if (d1 * d2 < 0 && d3 * d4 < 0) return true;
  return (
    (d1 === 0 && isWithin(b, a.from)) ||
    (d2 === 0 && isWithin(b, a.to)) ||
    (d3 === 0 && isWithin(a, b.from)) ||
    (d4 === 0 && isWithin(a, b.to))
  );
}

/** Whether the next edge runs back over this one: a spike. */
function turnsBack(edge: Edge, next: Edge): boolean {
  if (side(edge.from, edge.to, next.to) !== 0) return false;
  const dot =
    (edge.to[0] - edge.from[0]) * (next.to[0] - next.from[0]) +
    (edge.to[1] - edge.from[1]) * (next.to[1] - next.from[1]);
  return dot < 0;
}

function side(from: Position, to: Position, point: Position): number {
  return Math.sign((to[0] - from[0]) * (point[1] - from[1]) - (to[1] - from[1]) * (point[0] - from[0]));
}

function isWithin(edge: Edge, [x, y]: Position): boolean {
  return x >= edge.left && x <= edge.right && y >= edge.low && y <= edge.high;
}

/** No inhabited point is farther from its time zone's meridian. */
const degreesFromZoneMax = 75;
/** Closer to the zone's meridian than this, a swapped position is plausible. */
const degreesFromZonePlausible = 50;
const degreesFromCityMax = 2;

/**
 * Whether a service area whose numbers are all in range still looks as if its axes were swapped: with its axes exchanged
 * it matches the city's own coordinates or time zone, and unswapped it does not.
 * @param center of the area, unswapped
 */
export function looksSwapped(
  center: Position,
  city: { timezone: string; latitude: number | undefined; longitude: number | undefined },
): boolean {
  const [longitude, latitude] = center;
  if (city.latitude !== undefined && city.longitude !== undefined) {
    const unswapped = Math.max(Math.abs(longitude - city.longitude), Math.abs(latitude - city.latitude));
    const swapped = Math.max(Math.abs(latitude - city.longitude), Math.abs(longitude - city.latitude));
    return swapped < degreesFromCityMax && unswapped > degreesFromCityMax;
  }
  // Zones such as Etc/GMT+8 and EST have no location.
  if (!/^(?!Etc\/)[A-Z]\w+\//.test(city.timezone)) return false;
  const meridian = zoneMeridian(city.timezone);
  return (
    degreesBetween(longitude, meridian) > degreesFromZoneMax &&
    degreesBetween(latitude, meridian) < degreesFromZonePlausible
  );
}

function zoneMeridian(timezone: string): number {
  const january = Temporal.Instant.from('2026-01-15T00:00:00Z').toZonedDateTimeISO(timezone);
  return (january.offsetNanoseconds / 3.6e12) * 15;
}

function degreesBetween(a: number, b: number): number {
  const difference = Math.abs(a - b) % 360;
  return Math.min(difference, 360 - difference);
}
