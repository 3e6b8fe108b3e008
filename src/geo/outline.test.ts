import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LatLng } from './geometry.ts';
import { drawnOutline } from './outline.ts';

const circle = (corners: number): LatLng[] =>
  Array.from({ length: corners + 1 }, (_, i): LatLng => {
    const angle = ((i % corners) / corners) * 2 * Math.PI;
    return [33 + Math.sin(angle) / 2, -112 + Math.cos(angle) / 2];
  });

describe('drawnOutline', () => {
  it('reduces 50,000 points to few', () => {
    const ring = circle(50_000);
    const outline = drawnOutline(ring, 1000);
    expect(outline.length).toBeGreaterThan(40);
    expect(outline.length).toBeLessThan(300);
  });

  it('stays within half a pixel of the shape', () => {
    for (const [lat, lng] of drawnOutline(circle(5_000), 500)) {
      expect(Math.hypot(lat - 33, lng + 112)).toBeCloseTo(0.5, 6);
    }
  });

  it('stays closed and uses points of the ring, for any ring', () => {
    const point = fc.tuple(
      fc.double({ min: 30, max: 31, noNaN: true }),
      fc.double({ min: -100, max: -99, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(point, { minLength: 3, maxLength: 60 }), (open) => {
        const first = open[0] ?? [0, 0];
        const ring: LatLng[] = [...open, first];
        const outline = drawnOutline(ring, 400);
        expect(outline[0]).toBe(ring[0]);
        expect(outline.at(-1)).toBe(ring.at(-1));
        for (const kept of outline) expect(ring).toContain(kept);
      }),
    );
  });

  it('leaves simple shapes unchanged', () => {
    const square: LatLng[] = [
      [0, 0],
      [0, 1],
      [1, 1],
      [1, 0],
      [0, 0],
    ];
    expect(drawnOutline(square, 10)).toEqual(square);
  });
});
