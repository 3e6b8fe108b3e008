import { expect, it } from 'vitest';
import type { Position } from './position.ts';
import { extentsOf } from './service-area.ts';

const square: Position[] = [
  [-122.2, 37.4],
  [-122.0, 37.4],
  [-122.0, 37.6],
  [-122.2, 37.6],
  [-122.2, 37.4],
];

it('measures the distance to the edge in each direction', () => {
  const miles = Object.fromEntries(
    extentsOf([-122.1, 37.5], square).map(({ direction, miles }) => [direction, Math.round(miles * 10) / 10]),
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
  const extents = extentsOf([-122.3, 37.5], square);
  expect(extents.find(({ direction }) => direction === 'West')?.miles).toBe(0);
  expect(extents.find(({ direction }) => direction === 'East')?.miles).toBeCloseTo(0.3 * 54.815, 1);
});
