import { describe, expect, it } from 'vitest';
import { cityArea } from './city-area.ts';
import type { LatLng } from './geometry.ts';

const city = (ring: unknown) => ({
  polygonPoints: JSON.stringify(ring),
  latitude: '37.5',
  longitude: '-122.1',
});

/** As long as it is wide on the ground. */
const circle = (corners: number): LatLng[] =>
  Array.from({ length: corners + 1 }, (_, i): LatLng => {
    const angle = ((i % corners) / corners) * 2 * Math.PI;
    return [37.5 + Math.sin(angle) / 4, -122.1 + Math.cos(angle) / 4 / Math.cos((37.5 * Math.PI) / 180)];
  });

describe('cityArea', () => {
  it("is parsed from the city's record", () => {
    const ring = circle(8);
    expect(cityArea(city(ring))).toMatchObject({ points: ring, centre: [37.5, -122.1] });
    expect(() => cityArea(city([['37.4']]))).toThrow();
  });

  it('is computed once for all pages', () => {
    const [first, again] = [cityArea(city(circle(12))), cityArea(city(circle(12)))];
    expect(again.points).toBe(first.points);
    expect(again.outline).toBe(first.outline);
    expect(cityArea(city(circle(13))).points).toHaveLength(14);
  });

  it('starts the map with every point when there are few', () => {
    const ring = circle(900);
    const { drawn } = cityArea(city(ring));
    expect(drawn).toEqual({ ring: JSON.stringify(ring), sharpUpToPx: Number.POSITIVE_INFINITY });
  });

  it('starts the map with simplified points when there are many', () => {
    const { drawn } = cityArea(city(circle(50_000)));
    const ring: LatLng[] = JSON.parse(drawn.ring);
    expect(ring.length).toBeGreaterThan(50);
    expect(ring.length).toBeLessThan(400);
    expect(ring.at(-1)).toEqual(ring[0]);
    const pixelDegrees = 0.5 / drawn.sharpUpToPx;
    const across = Math.cos((37.5 * Math.PI) / 180);
    // Rounded by less than one sees, and never straying from the circle by more than that and half a pixel.
    const awayPx = (lat: number, lng: number) =>
      Math.abs(Math.hypot(lat - 37.5, (lng + 122.1) * across) - 0.25) / pixelDegrees;
    for (const [index, [lat, lng]] of ring.entries()) {
      expect(awayPx(lat, lng)).toBeLessThan(0.2);
      const [nextLat, nextLng] = ring[index + 1] ?? [lat, lng];
      expect(awayPx((lat + nextLat) / 2, (lng + nextLng) / 2)).toBeLessThan(0.7);
    }
  });
});
