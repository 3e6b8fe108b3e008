import { describe, expect, it } from 'vitest';
import { checkDelivery, priceTable, serviceArea } from './city.ts';
import type { City } from './index.ts';

/** An L, with its center at a corner. */
const city = {
  base_price: 4.5,
  delivery_prices: '{"items":[{"mile":10,"amount":6.1},{"mile":3,"amount":0}]}',
  latitude: '33.0',
  longitude: '-112.0',
  polygon_points: '[[33,-112],[33,-111.8],[33.1,-111.8],[33.1,-111.9],[33.2,-111.9],[33.2,-112],[33,-112]]',
} as City;

describe('checkDelivery', () => {
  it('delivers to points in the service area that the price table reaches, while the city is active', () => {
    const inside = { latitude: 33.05, longitude: -111.95 };
    const active = { ...city, is_active: true };
    expect(checkDelivery(active, inside).delivers).toBe(true);
    expect(checkDelivery({ ...active, is_active: false }, inside).delivers).toBe(false);
    expect(checkDelivery(active, { latitude: 32.99, longitude: -111.95 }).delivers).toBe(false);
    expect(checkDelivery(active, { latitude: 33.19, longitude: -111.95 }).delivers).toBe(false);
  });

  it('prices a point by its distance from the center, up to the last step', () => {
    expect(priceTable(city)).toEqual([
      { milesMax: 3, priceCents: 450 },
      { milesMax: 10, priceCents: 1060 },
    ]);
    // A degree of latitude is 69.1 miles.
    const north = (miles: number) => checkDelivery(city, { latitude: 33 + miles / 69.0934, longitude: -112 });
    expect(north(2)).toMatchObject({ distanceMiles: expect.closeTo(2, 3), priceCents: 450 });
    expect([2.999, 3.001, 9.999, 10.001].map((miles) => north(miles).priceCents)).toEqual([
      450,
      1060,
      1060,
      null,
    ]);
  });

  it.each([
    [33.05, -111.95, true],
    [33.15, -111.95, true],
    [33.15, -111.85, false],
    [33.2, -112, true],
    [33.1, -111.85, true],
    [33.1000001, -111.85, false],
    [32.99, -111.9, false],
    [33.05, -112.01, false],
  ])('knows whether %d, %d is in the service area', (latitude, longitude, isInServiceArea) => {
    expect(checkDelivery(city, { latitude, longitude })).toMatchObject({ isInServiceArea });
  });

  it('reads the corners of the service area', () => {
    expect(serviceArea(city)).toHaveLength(7);
    expect(serviceArea(city)[1]).toEqual({ latitude: 33, longitude: -111.8 });
  });
});
