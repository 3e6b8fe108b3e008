import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { backgroundMapAround } from './background-map.ts';
import { isInside, type Position } from './position.ts';

const mapAround = async ([lng, lat]: Position, degrees = 0.2) =>
  (await backgroundMapAround([lng - degrees, lat - degrees, lng + degrees, lat + degrees])).map;

const cities: Record<string, Position> = {
  phoenix: [-112.07, 33.45],
  seattle: [-122.3, 47.6],
  'new york': [-74, 40.7],
  'san francisco': [-122.42, 37.77],
  miami: [-80.2, 25.8],
  honolulu: [-157.86, 21.31],
  anchorage: [-149.9, 61.2],
};

describe('backgroundMapAround', () => {
  it.each(Object.entries(cities))('is a few kilobytes for %s', async (_, center) => {
    for (const degrees of [0.05, 0.2, 1]) {
      const map = JSON.stringify(await mapAround(center, degrees));
      expect(gzipSync(map).length).toBeLessThan(10 * 1024);
    }
  });

  it.each(Object.entries(cities))('is clipped to its box for %s', async (_, center) => {
    const { box, land, countyLines, stateLines, coastLines } = await mapAround(center);
    const [west, south, east, north] = box;
    for (const [lng, lat] of [land.flat(), countyLines, stateLines, coastLines].flat(2)) {
      expect(lat).toBeGreaterThanOrEqual(south - 1e-4);
      expect(lat).toBeLessThanOrEqual(north + 1e-4);
      expect(lng).toBeGreaterThanOrEqual(west - 1e-4);
      expect(lng).toBeLessThanOrEqual(east + 1e-4);
    }
  });

  it('has no coast in the desert, and names the county', async () => {
    const map = await mapAround([-112.07, 33.45]);
    expect(map.counties.map((county) => county.name)).toContain('Maricopa');
    expect(map.coastLines).toEqual([]);
  });

  it('includes water', async () => {
    const map = await mapAround([-122.42, 37.77]);
    const isLand = (point: Position) => map.land.some(([outer]) => isInside(point, outer ?? []));
    expect(map.coastLines.length).toBeGreaterThan(0);
    expect(isLand([-122.45, 37.76])).toBe(true);
    expect(isLand([-122.75, 37.7])).toBe(false);
  });

  it('distinguishes state lines from county lines', async () => {
    const map = await mapAround([-74, 40.7]);
    expect(map.stateLines.length).toBeGreaterThan(0);
    expect(map.countyLines.length).toBeGreaterThan(0);
  });

  it('simplifies details that are invisible around an area as wide as a state', async () => {
    const { land } = await mapAround([-74, 40.7], 3);
    expect(land.flat(2).length).toBeGreaterThan(1_000);
    expect(land.flat(2).length).toBeLessThan(2_000);
  });

  it('is computed once per area', async () => {
    const first = await mapAround([-122.68, 45.52]);
    expect(await mapAround([-122.68, 45.52])).toBe(first);
  });
});
