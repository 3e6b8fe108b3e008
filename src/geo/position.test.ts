import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceMiles, formatRing, isInside, type Position, parseRing } from './position.ts';

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
