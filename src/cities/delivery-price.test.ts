import { describe, expect, it } from 'vitest';
import { distanceMiles } from '#src/geo/distance.ts';
import { deliveryPriceCents, priceItems } from './delivery-price.ts';

const table = '{"items":[{"mile":8,"amount":4.35},{"mile":3,"amount":0}]}';

describe('deliveryPrice', () => {
  it.each([
    [0, 599],
    [3, 599],
    [3.0001, 1034],
    [8, 1034],
    [8.01, null],
  ])('over %d miles', (miles, cents) => {
    expect(deliveryPriceCents(599, table, miles)).toBe(cents);
  });

  it('sorts the price steps by mile', () => {
    expect(priceItems(table).map(({ mile }) => mile)).toEqual([3, 8]);
  });
});

describe('deliveryPriceCents by distance', () => {
  it.each([
    ['San Francisco to Los Angeles', [37.7749, -122.4194], [34.0522, -118.2437], 347.4],
    ['across the antimeridian', [0, 179.5], [0, -179.5], 69.09],
    ['pole to pole', [90, 0], [-90, 0], 12_436.8],
    ['nowhere', [21.3, -157.8], [21.3, -157.8], 0],
  ])('%s', (_, [lat1 = 0, lng1 = 0], [lat2 = 0, lng2 = 0], miles) => {
    const from = { latitude: lat1, longitude: lng1 };
    const to = { latitude: lat2, longitude: lng2 };
    expect(Math.abs(distanceMiles(from, to) - miles)).toBeLessThan(Math.max(0.2, miles * 0.0005));
    expect(distanceMiles(from, to)).toBe(distanceMiles(to, from));
  });
});
