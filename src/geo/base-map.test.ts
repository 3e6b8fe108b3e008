import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isInside } from '#components/service-area/is-inside.ts';
import { baseMapAround } from './base-map.ts';
import type { LatLng } from './geometry.ts';

const around = ([lat, lng]: LatLng, degrees = 0.2): LatLng[] => [
  [lat - degrees, lng - degrees],
  [lat - degrees, lng + degrees],
  [lat + degrees, lng + degrees],
  [lat - degrees, lng - degrees],
];

const cities: Record<string, LatLng> = {
  phoenix: [33.45, -112.07],
  seattle: [47.6, -122.3],
  'new york': [40.7, -74],
  'san francisco': [37.77, -122.42],
  miami: [25.8, -80.2],
  honolulu: [21.31, -157.86],
  anchorage: [61.2, -149.9],
};

describe('baseMapAround', () => {
  it.each(Object.entries(cities))('is a few kilobytes for %s', async (_, centre) => {
    for (const degrees of [0.05, 0.2, 1]) {
      const map = JSON.stringify(await baseMapAround(around(centre, degrees)));
      expect(gzipSync(map).length).toBeLessThan(10 * 1024);
    }
  });

  it.each(Object.entries(cities))('is clipped to its box for %s', async (_, centre) => {
    const { bounds, land, countyLines, stateLines, coastLines } = await baseMapAround(around(centre));
    const [south, west, north, east] = [bounds.south, bounds.west, bounds.north, bounds.east];
    for (const [lat, lng] of [land.flat(), countyLines, stateLines, coastLines].flat(2)) {
      expect(lat).toBeGreaterThanOrEqual(south - 1e-4);
      expect(lat).toBeLessThanOrEqual(north + 1e-4);
      expect(lng).toBeGreaterThanOrEqual(west - 1e-4);
      expect(lng).toBeLessThanOrEqual(east + 1e-4);
    }
  });

  it('is all land in the desert and names the county', async () => {
    const map = await baseMapAround(around([33.45, -112.07]));
    expect(map.isAllLand).toBe(true);
    expect(map.counties.map((county) => county.name)).toContain('Maricopa');
    expect(map.coastLines).toEqual([]);
  });

  it('includes water', async () => {
    const map = await baseMapAround(around([37.77, -122.42]));
    const isLand = (point: LatLng) => map.land.some(([outer]) => isInside(point, outer ?? []));
    expect(map.isAllLand).toBe(false);
    expect(map.coastLines.length).toBeGreaterThan(0);
    expect(isLand([37.76, -122.45])).toBe(true);
    expect(isLand([37.7, -122.75])).toBe(false);
  });

  it('distinguishes state lines from county lines', async () => {
    const map = await baseMapAround(around([40.7, -74]));
    expect(map.stateLines.length).toBeGreaterThan(0);
    expect(map.countyLines.length).toBeGreaterThan(0);
  });

  it('simplifies details that are invisible around an area as wide as a state', async () => {
    const { land } = await baseMapAround(around([40.7, -74], 3));
    expect(land.flat(2).length).toBeGreaterThan(1_000);
    expect(land.flat(2).length).toBeLessThan(2_000);
  });

  it('is computed once per area', async () => {
    const first = await baseMapAround(around([45.52, -122.68]));
    expect(await baseMapAround(around([45.52, -122.68]))).toBe(first);
  });
});
