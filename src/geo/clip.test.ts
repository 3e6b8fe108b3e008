import { describe, expect, it } from 'vitest';
import { clippedLine, clippedRing } from './clip.ts';
import type { LatLng } from './geometry.ts';

const box = { south: 0, north: 10, west: 0, east: 10 };

describe('a ring in a box', () => {
  it('stays whole inside', () => {
    const ring: LatLng[] = [
      [1, 1],
      [1, 9],
      [9, 9],
    ];
    expect(clippedRing(ring, box)).toEqual(ring);
  });

  it('is the box itself where it covers the box', () => {
    const clipped = clippedRing(
      [
        [-5, -5],
        [-5, 15],
        [15, 15],
        [15, -5],
      ],
      box,
    );
    expect(new Set(clipped.map(String))).toEqual(new Set(['0,0', '0,10', '10,10', '10,0']));
  });

  it('is cut where it crosses the edge', () => {
    const clipped = clippedRing(
      [
        [2, 5],
        [2, 15],
        [8, 15],
        [8, 5],
      ],
      box,
    );
    expect(new Set(clipped.map(String))).toEqual(new Set(['2,5', '2,10', '8,10', '8,5']));
  });

  it('is nothing elsewhere', () => {
    expect(
      clippedRing(
        [
          [20, 20],
          [20, 30],
          [30, 30],
        ],
        box,
      ),
    ).toEqual([]);
  });
});

describe('a line in a box', () => {
  it('falls into the pieces that lie inside', () => {
    const zigzag: LatLng[] = [
      [5, -5],
      [5, 5],
      [15, 5],
      [5, 6],
      [5, 15],
    ];
    expect(clippedLine(zigzag, box)).toEqual([
      [
        [5, 0],
        [5, 5],
        [10, 5],
      ],
      [
        [10, 5.5],
        [5, 6],
        [5, 10],
      ],
    ]);
  });

  it('is cut on both sides where both ends lie outside', () => {
    expect(
      clippedLine(
        [
          [5, -10],
          [5, 20],
        ],
        box,
      ),
    ).toEqual([
      [
        [5, 0],
        [5, 10],
      ],
    ]);
  });

  it('is nothing elsewhere', () => {
    expect(
      clippedLine(
        [
          [20, 20],
          [30, 30],
        ],
        box,
      ),
    ).toEqual([]);
  });
});
