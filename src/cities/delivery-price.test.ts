import { describe, expect, it } from 'vitest';
import { checkPoint, priceStepFor, priceSteps } from './delivery-price.ts';

const steps = priceSteps({
  basePriceCents: 599,
  deliveryPrices: '{"items":[{"mile":8,"amount":4.35},{"mile":3,"amount":0}]}',
});

describe('priceSteps', () => {
  it.each([
    [0, 599],
    [3, 599],
    [3.0001, 1034],
    [8, 1034],
    [8.01, undefined],
  ])('prices a delivery over %d miles', (miles, cents) => {
    expect(priceStepFor(steps, miles)?.priceCents).toBe(cents);
  });

  it('sorts the price steps by mile', () => {
    expect(steps.map(({ milesMax }) => milesMax)).toEqual([3, 8]);
  });
});

describe('checkPoint', () => {
  const area = {
    center: [-112, 33] as [number, number],
    ring: [
      [-113, 32],
      [-111, 32],
      [-111, 34],
      [-113, 34],
      [-113, 32],
    ] as [number, number][],
    priceSteps: steps,
  };

  it('prices a point by its distance from the center', () => {
    const miles = expect.closeTo(6.91, 2);
    const point: [number, number] = [-112, 33.1];
    expect(checkPoint(point, area)).toEqual({
      point,
      isInside: true,
      distanceMiles: miles,
      priceCents: 1034,
    });
  });

  it('has no price beyond the last step', () => {
    expect(checkPoint([-112, 33.5], area)).toMatchObject({ isInside: true, priceCents: null });
  });

  it('reports a point outside the service area', () => {
    expect(checkPoint([-112, 35], area)).toMatchObject({ isInside: false });
  });
});
