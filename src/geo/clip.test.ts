import { describe, expect, it } from 'vitest';
import { clippedLine, clippedRing } from './clip.ts';
import type { LatLng } from './geometry.ts';

const box = { south: 0, north: 10, west: 0, east: 10 };

describe('clippedRing', () => {
  it('keeps a ring inside the box unchanged', () => {
    const ring: LatLng[] = [
      [1, 1],
      [1, 9],
      [9, 9],
    ];
    expect(clippedRing(ring, box)).toEqual(ring);
  });

  it('returns the box when the ring covers it', () => {
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

  it('cuts a ring at the edge of the box', () => {
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

  it('returns nothing outside the box', () => {
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

describe('clippedLine', () => {
  it('returns the pieces inside the box', () => {
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

  it('cuts both ends when both are outside', () => {
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

  it('returns nothing outside the box', () => {
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
