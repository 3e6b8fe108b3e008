import { describe, expect, it } from 'vitest';
import { stepPath, thinPoints } from './step-path.ts';

describe('stepPath', () => {
  it('stays level until the next point', () => {
    const path = stepPath(
      [
        { x: 0, y: 0 },
        { x: 0.25, y: 0.5 },
        { x: 0.5, y: 0.4 },
      ],
      1,
    );
    expect(path).toBe('M0 1000H250V500H500V600H1000');
  });

  it('is empty without points', () => {
    expect(stepPath([], 1)).toBe('');
  });
});

describe('thinPoints', () => {
  const points = Array.from({ length: 8192 }, (_, index) => ({ x: index / 8192, y: index }));

  it('has at most one point per column and keeps the first and last', () => {
    const few = thinPoints(points, 512);
    expect(few.length).toBeLessThanOrEqual(513);
    expect(few[0]).toBe(points[0]);
    expect(few.at(-1)).toBe(points.at(-1));
  });

  it('leaves each column at the same height as the full line', () => {
    for (const point of thinPoints(points, 128).slice(1)) expect((point.y + 1) % 64).toBe(0);
  });

  it('does not change a short line', () => {
    expect(thinPoints(points.slice(0, 2), 500)).toEqual(points.slice(0, 2));
  });
});
