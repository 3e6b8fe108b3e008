import fc from 'fast-check';
import type { BBox } from 'geojson';
import { describe, expect, it } from 'vitest';
import {
  distanceMiles,
  formatRing,
  isInside,
  longerSideDegrees,
  longitudeStretch,
  milesPerDegree,
  overlaps,
  type Position,
  parseRing,
  squareAround,
} from './position.ts';

const square: Position[] = [
  [-113, 33],
  [-111, 33],
  [-111, 34],
  [-113, 34],
  [-113, 33],
];
/** A U, open to the north. */
const notched: Position[] = JSON.parse('[[0,0],[3,0],[3,3],[2,3],[2,1],[1,1],[1,3],[0,3],[0,0]]');

describe('isInside', () => {
  it('is true in the middle and false beyond each side', () => {
    expect(isInside([-112, 33.5], square)).toBe(true);
    for (const outside of [
      [-113.1, 33.5],
      [-110.9, 33.5],
      [-112, 32.9],
      [-112, 34.1],
    ] satisfies Position[]) {
      expect(isInside(outside, square), String(outside)).toBe(false);
    }
  });

  it('is true on an edge and on a corner', () => {
    for (const edge of [[-112, 33], [-112, 34], [-113, 33.5], [-111, 33.5], ...square] satisfies Position[]) {
      expect(isInside(edge, square), String(edge)).toBe(true);
    }
  });

  const diamond: Position[] = JSON.parse('[[1,1],[3,3],[3,3],[1,5],[-1,3],[1,1]]');
  it.each<[string, Position[], Position, boolean]>([
    ['below', square, [-112, 33 - 5e-10], true],
    ['below', square, [-112, 33 - 5e-9], false],
    ['above', square, [-112, 34 + 5e-10], true],
    ['above', square, [-112, 34 + 5e-9], false],
    ['to the west', square, [-113 - 5e-10, 33.5], true],
    ['to the west', square, [-113 - 5e-9, 33.5], false],
    ['to the east', square, [-111 + 5e-10, 33.5], true],
    ['to the east', square, [-111 + 5e-9, 33.5], false],
    ['beside a slope', diamond, [2 + 6e-10, 2 - 6e-10], true],
    ['beside a slope', diamond, [2 + 9e-10, 2 - 9e-10], false],
  ])('allows a tenth of a millimeter beyond the edge: %s', (_, ring, position, expected) => {
    expect(isInside(position, ring)).toBe(expected);
  });

  it('is false beyond the ends of an edge, and true at a corner that is repeated', () => {
    for (const beyond of [
      [4, 4],
      [0, 0],
      [4, 2],
      [0, 6],
    ] satisfies Position[])
      expect(isInside(beyond, diamond), String(beyond)).toBe(false);
    for (const beyond of [
      [-113, 34.5],
      [-113, 32.5],
      [-114, 33],
      [-110, 34],
    ] satisfies Position[])
      expect(isInside(beyond, square), String(beyond)).toBe(false);
    expect(isInside([3, 3], diamond)).toBe(true);
  });

  it('is true up to a slope', () => {
    expect(isInside([1.9, 2], diamond)).toBe(true);
    expect(isInside([2.1, 2], diamond)).toBe(false);
    expect(isInside([0.1, 2], diamond)).toBe(true);
    expect(isInside([-0.1, 2], diamond)).toBe(false);
  });

  it('is false in a notch and level with its corners', () => {
    expect(isInside([1.5, 2], notched)).toBe(false);
    expect(isInside([1.5, 3], notched)).toBe(false);
    expect(isInside([3.5, 1], notched)).toBe(false);
    expect(isInside([-0.5, 1], notched)).toBe(false);
    expect(isInside([0.5, 2], notched)).toBe(true);
    expect(isInside([1.5, 1], notched)).toBe(true);
    expect(isInside([0.5, 1], notched)).toBe(true);
  });

  it('ignores whether the ring is closed, where it starts, and which way it turns', () => {
    const coordinate = fc.double({ min: -1, max: 4, noNaN: true });
    fc.assert(
      fc.property(coordinate, coordinate, fc.nat(7), (lat, lng, start) => {
        const open = notched.slice(0, -1);
        const turned = [...open.slice(start), ...open.slice(0, start)];
        const expected = isInside([lng, lat], notched);
        expect(isInside([lng, lat], turned)).toBe(expected);
        expect(isInside([lng, lat], turned.toReversed())).toBe(expected);
      }),
    );
  });

  it('agrees with a circle of 50,000 corners', () => {
    const circle = Array.from({ length: 50_000 }, (_, i): Position => {
      const angle = (i / 50_000) * 2 * Math.PI;
      return [-112 + 0.5 * Math.cos(angle), 33 + 0.5 * Math.sin(angle)];
    });
    expect(isInside([-111.66, 33.35], circle)).toBe(true);
    expect(isInside([-111.64, 33.36], circle)).toBe(false);
  });

  it('is false for an empty ring', () => {
    expect(isInside([0, 0], [])).toBe(false);
  });
});

describe('distanceMiles', () => {
  it.each([
    ['San Francisco to Los Angeles', [-122.4194, 37.7749], [-118.2437, 34.0522], 347.4],
    ['across the antimeridian', [179.5, 0], [-179.5, 0], 69.09],
    ['pole to pole', [0, 90], [0, -90], 12_436.8],
    ['nowhere', [-157.8, 21.3], [-157.8, 21.3], 0],
  ] satisfies [string, Position, Position, number][])('%s', (_, from, to, miles) => {
    expect(Math.abs(distanceMiles(from, to) - miles)).toBeLessThan(Math.max(0.2, miles * 0.0005));
    expect(distanceMiles(from, to)).toBe(distanceMiles(to, from));
  });

  it('is half of the circumference between opposite places', () => {
    const degrees = (max: number) => fc.double({ min: -max, max, noNaN: true });
    fc.assert(
      fc.property(degrees(180), degrees(90), (lng, lat) => {
        expect(distanceMiles([lng, lat], [lng + 180, -lat])).toBeCloseTo(180 * milesPerDegree, 3);
      }),
    );
    expect(milesPerDegree).toBeCloseTo(69.09, 2);
  });
});

describe('boxes', () => {
  it.each([
    [0, 1],
    [60, 2],
    [-60, 2],
    [90, 20],
  ])('at the latitude %i, %i degrees of longitude are as long as one of latitude', (latitude, degrees) => {
    expect(longitudeStretch(latitude)).toBeCloseTo(degrees, 9);
  });

  it('have their longer side measured on the ground', () => {
    expect(longerSideDegrees([0, -1, 1, 1])).toBeCloseTo(2, 9);
    expect(longerSideDegrees([10, -1, 13, 1])).toBeCloseTo(3, 9);
    expect(longerSideDegrees([10, 59, 18, 61])).toBeCloseTo(4, 9);
  });

  it.each([
    ['wide', [10, -1, 14, 1], 2, [8, -4, 16, 4]],
    ['in the north', [10, 59, 18, 61], 1, [10, 58, 18, 62]],
    ['empty', [10, 0, 10, 0], 4, [9.98, -0.02, 10.02, 0.02]],
  ] satisfies [string, BBox, number, BBox][])('have a square around them: %s', (_, box, factor, square) => {
    expect(squareAround(box, factor).map((degrees) => Math.round(degrees * 1e9) / 1e9)).toEqual(square);
  });

  it.each([
    ['inside', [1, 1, 2, 2], true],
    ['at the east side', [3, 1, 4, 2], true],
    ['east', [3.1, 1, 4, 2], false],
    ['at the west side', [-1, 1, 0, 2], true],
    ['west', [-1, 1, -0.1, 2], false],
    ['at the north side', [1, 3, 2, 4], true],
    ['north', [1, 3.1, 2, 4], false],
    ['at the south side', [1, -1, 2, 0], true],
    ['south', [1, -1, 2, -0.1], false],
  ] satisfies [string, BBox, boolean][])('overlap another one %s of it: %j %s', (_, other, expected) => {
    expect(overlaps([0, 0, 3, 3], other)).toBe(expected);
  });
});

describe('parseRing', () => {
  const text = '[[37.4,-122.2],[37.4,-122],[37.6,-122],[37.4,-122.2]]';

  it('reads pairs with the latitude first', () => {
    expect(parseRing(text)[0]).toEqual([-122.2, 37.4]);
  });

  it('is the inverse of formatRing', () => {
    expect(formatRing(parseRing(text))).toBe(text);
  });
});
