import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LatLng } from '#src/geo/geometry.ts';
import { isInside } from './is-inside.ts';

const square: LatLng[] = [
  [33, -113],
  [33, -111],
  [34, -111],
  [34, -113],
  [33, -113],
];
/** A U, open to the north. */
const notched: LatLng[] = [
  [0, 0],
  [0, 3],
  [3, 3],
  [3, 2],
  [1, 2],
  [1, 1],
  [3, 1],
  [3, 0],
  [0, 0],
];

describe('isInside', () => {
  it('returns true in the center and false beyond each side', () => {
    expect(isInside([33.5, -112], square)).toBe(true);
    for (const outside of [
      [33.5, -113.1],
      [33.5, -110.9],
      [32.9, -112],
      [34.1, -112],
    ] satisfies LatLng[]) {
      expect(isInside(outside, square), String(outside)).toBe(false);
    }
  });

  it('returns true on an edge and on a corner', () => {
    for (const edge of [[33, -112], [34, -112], [33.5, -113], [33.5, -111], ...square] satisfies LatLng[]) {
      expect(isInside(edge, square), String(edge)).toBe(true);
    }
  });

  it('returns false in a notch and level with its corners', () => {
    expect(isInside([2, 1.5], notched)).toBe(false);
    expect(isInside([3, 1.5], notched)).toBe(false);
    expect(isInside([1, 3.5], notched)).toBe(false);
    expect(isInside([1, -0.5], notched)).toBe(false);
    expect(isInside([2, 0.5], notched)).toBe(true);
    expect(isInside([1, 1.5], notched)).toBe(true);
    expect(isInside([1, 0.5], notched)).toBe(true);
  });

  it('ignores closure, starting point, and winding order of the ring', () => {
    const coordinate = fc.double({ min: -1, max: 4, noNaN: true });
    fc.assert(
      fc.property(coordinate, coordinate, fc.nat(7), (lat, lng, start) => {
        const open = notched.slice(0, -1);
        const turned = [...open.slice(start), ...open.slice(0, start)];
        const expected = isInside([lat, lng], notched);
        expect(isInside([lat, lng], turned)).toBe(expected);
        expect(isInside([lat, lng], turned.toReversed())).toBe(expected);
      }),
    );
  });

  it('agrees with a circle approximated by many points', () => {
    const circle = Array.from({ length: 50_000 }, (_, i): LatLng => {
      const angle = (i / 50_000) * 2 * Math.PI;
      return [33 + 0.5 * Math.sin(angle), -112 + 0.5 * Math.cos(angle)];
    });
    expect(isInside([33.35, -111.66], circle)).toBe(true);
    expect(isInside([33.36, -111.64], circle)).toBe(false);
  });

  it('returns false without a ring', () => {
    expect(isInside([0, 0], [])).toBe(false);
  });
});
