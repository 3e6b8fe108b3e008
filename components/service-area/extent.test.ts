import { expect, it } from 'vitest';
import { areaSquareMiles } from '#src/geo/city-area.ts';
import type { LatLng } from '#src/geo/geometry.ts';
import { reachOf } from './extent.ts';

const square: LatLng[] = [
  [37.4, -122.2],
  [37.4, -122.0],
  [37.6, -122.0],
  [37.6, -122.2],
  [37.4, -122.2],
];
/** Near enough for an area of this size: a degree of latitude, and one of longitude at 37.5 degrees. */
const flatMiles = (a: LatLng, b: LatLng) => Math.hypot((a[0] - b[0]) * 69.093, (a[1] - b[1]) * 54.815);

it('measures the distance to the edge in each direction', () => {
  const reach = reachOf([37.5, -122.1], square, flatMiles);
  const miles = Object.fromEntries(
    reach.map(({ direction, miles }) => [direction, Math.round(miles * 10) / 10]),
  );
  expect(miles).toEqual({
    North: 6.9,
    Northeast: 7.8,
    East: 5.5,
    Southeast: 7.8,
    South: 6.9,
    Southwest: 7.8,
    West: 5.5,
    Northwest: 7.8,
  });
});

it('returns no distance in a direction without area', () => {
  const reach = reachOf([37.5, -122.3], square, flatMiles);
  expect(reach.find(({ direction }) => direction === 'West')?.miles).toBe(0);
  expect(reach.find(({ direction }) => direction === 'East')?.miles).toBeCloseTo(0.3 * 54.815, 1);
});

it('computes the same area for both winding orders', () => {
  expect(areaSquareMiles(square)).toBeCloseTo(151.5, 0);
  expect(areaSquareMiles(square.toReversed())).toBeCloseTo(151.5, 0);
});
