import { describe, expect, it } from 'vitest';
import { balanceLine } from './balance-line.ts';

const month = { start: new Date('2026-11-01T07:00:00Z'), end: new Date('2026-12-01T07:00:00Z') };
const onDay = (day: number, balanceCents: number) => ({
  at: new Date(month.start.getTime() + (day - 1) * 86_400_000),
  balanceCents,
});
const now = onDay(16, 0).at;

describe('balanceLine', () => {
  it('separates past entries from scheduled ones', () => {
    const line = balanceLine({
      month,
      now,
      openingCents: 10_000,
      steps: [onDay(4, 20_000), onDay(16, 25_000), onDay(25, 40_000)],
    });
    expect(line.todayX).toBeCloseTo(0.5);
    expect(line.todayCents).toBe(25_000);
    expect(line.lastCents).toBe(40_000);
    expect(line.past.map(({ x }) => Math.round(x * 30))).toEqual([0, 3, 15]);
    expect(line.past.map(({ y }) => y)).toEqual([0.25, 0.5, 0.625]);
    expect(line.scheduled.map(({ x }) => Math.round(x * 30))).toEqual([15, 24]);
    expect(line.scheduled.map(({ y }) => y)).toEqual([0.625, 1]);
  });

  it.each([
    ['before', new Date('2026-10-01T00:00:00Z'), 0],
    ['after', new Date('2027-01-01T00:00:00Z'), 1],
  ])('has today at the edge of the plot %s the month', (_, at, todayX) => {
    expect(balanceLine({ month, now: at, openingCents: 0, steps: [onDay(4, 20_000)] })).toMatchObject({
      todayX,
    });
  });

  it('has no dashed part when nothing is scheduled', () => {
    const line = balanceLine({ month, now, openingCents: 0, steps: [onDay(4, 20_000)] });
    expect(line.scheduled).toEqual([]);
    expect(line.lastCents).toBe(20_000);
  });

  it('is flat in a month without entries', () => {
    const line = balanceLine({ month, now, openingCents: 5_000, steps: [] });
    expect(line.past).toEqual([{ x: 0, y: 1 }]);
    expect(line.lastCents).toBe(5_000);
  });

  it('goes below zero for a credit balance', () => {
    const line = balanceLine({ month, now, openingCents: 1_000, steps: [onDay(2, -1_000)] });
    expect(line.scale.min).toBe(-1_000);
    expect(line.past.map(({ y }) => y)).toEqual([1, 0]);
  });
});
