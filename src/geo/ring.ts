import type { Point } from './point.ts';
import { firstCrossing } from './ring-crossings.ts';

/** A ring that is fit to be a service area, closed, as `[longitude, latitude]`. */
export type CheckedRing = { points: Point[]; notes: string[] };

const mostPoints = 100_000;

/**
 * Checks one ring of a GeoJSON polygon, closes it and drops points that repeat the one before.
 * @param where how messages name the ring, `polygon 0, ring 0`
 * @returns the ring, or what is wrong with it and at which index
 */
export function checkRing(ring: unknown, where: string): CheckedRing | string {
  if (!Array.isArray(ring)) return `${where} is not a list of points.`;
  if (ring.length > mostPoints) return `${where} has ${ring.length} points; ${mostPoints} are the most.`;
  const notes: string[] = [];
  const points: Point[] = [];
  const indexes: number[] = [];
  for (const [index, position] of ring.entries()) {
    const problem = positionProblem(position);
    if (problem) return `${where}, index ${index}: ${problem}`;
    const point: Point = [position[0], position[1]];
    const last = points.at(-1);
    if (last && isSame(last, point)) continue;
    if (last && Math.abs(last[0] - point[0]) > 180) {
      return `${where}, index ${index}: the ring crosses the antimeridian (180° of longitude); cut it there into two polygons and keep one.`;
    }
    points.push(point);
    indexes.push(index);
  }
  const [first] = points;
  const end = points.at(-1);
  if (first && end && points.length > 1 && isSame(first, end)) points.pop();
  else if (first) notes.push(`${where} was not closed; it was closed by repeating its first point.`);
  if (!first || points.length < 3) {
    return `${where} has ${points.length} different point${points.length === 1 ? '' : 's'}; an area needs three at least.`;
  }
  const lastPoint = points.at(-1);
  if (lastPoint && Math.abs(lastPoint[0] - first[0]) > 180) {
    return `${where}, index ${indexes.at(-1)}: the ring crosses the antimeridian (180° of longitude); cut it there into two polygons and keep one.`;
  }
  const crossing = firstCrossing(points);
  if (crossing) {
    const [a, b] = crossing.map((edge) => indexes[edge]);
    return `${where}: the line that starts at index ${a} meets the one that starts at index ${b} (a bow-tie); an area's border must not touch itself.`;
  }
  return { points: [...points, first], notes };
}

function positionProblem(position: unknown): string | undefined {
  if (!Array.isArray(position) || position.length < 2) return 'it is not a pair of longitude and latitude.';
  const [longitude, latitude] = position as unknown[];
  if (typeof longitude !== 'number' || typeof latitude !== 'number')
    return 'longitude and latitude must be numbers.';
  if (!Number.isFinite(longitude) || !Number.isFinite(latitude)) return 'a number is too large.';
  if (Math.abs(latitude) > 90 && Math.abs(latitude) <= 180 && Math.abs(longitude) <= 90) {
    return `its second number is no latitude. The axes look swapped: GeoJSON has longitude first.`;
  }
  if (Math.abs(longitude) > 180) return 'the longitude is outside -180 to 180.';
  if (Math.abs(latitude) > 90) return 'the latitude is outside -90 to 90.';
  return undefined;
}

function isSame(a: Point, b: Point): boolean {
  return a[0] === b[0] && a[1] === b[1];
}
