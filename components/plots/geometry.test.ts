import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dollarLabels, fractionOf, scaleFor, stepPath } from './geometry.ts';

describe('axis scale', () => {
  it('has round ticks up to the maximum', () => {
    expect(scaleFor([1284.5], 100)).toEqual({ min: 0, max: 1500, ticks: [0, 500, 1000, 1500] });
  });

  it('extends below zero for a negative balance', () => {
    expect(scaleFor([-12, 30], 100)).toEqual({ min: -20, max: 30, ticks: [-20, -10, 0, 10, 20, 30] });
  });

  it('has a height when every value is zero', () => {
    expect(scaleFor([0, 0], 100)).toEqual({ min: 0, max: 100, ticks: [0, 20, 40, 60, 80, 100] });
    expect(scaleFor([], 100).max).toBe(100);
  });

  it('covers every value, includes zero, and has few ticks', () => {
    const cents = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
    fc.assert(
      fc.property(fc.array(cents, { minLength: 1 }), (values) => {
        const scale = scaleFor(values, 10_000);
        for (const value of values) {
          expect(fractionOf(value, scale)).toBeGreaterThanOrEqual(0);
          expect(fractionOf(value, scale)).toBeLessThanOrEqual(1);
        }
        expect(scale.ticks.some((tick) => Math.abs(tick) < 1e-9)).toBe(true);
        expect(scale.ticks.length).toBeLessThanOrEqual(7);
      }),
    );
  });
});

const texts = (valuesCents: number[]) => dollarLabels(scaleFor(valuesCents, 10_000)).map(({ text }) => text);

describe('dollarLabels', () => {
  it('omits cents when every tick is a whole dollar', () => {
    expect(texts([250_000])).toEqual(['$0', '$500', '$1K', '$1.5K', '$2K', '$2.5K']);
  });

  it('shows cents on all labels when one has cents, and labels credits', () => {
    expect(texts([-1_200])).toEqual([
      '$12.50 credit',
      '$10.00 credit',
      '$7.50 credit',
      '$5.00 credit',
      '$2.50 credit',
      '$0.00',
    ]);
  });
});

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
