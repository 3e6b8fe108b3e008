import { expect, it } from 'vitest';
import { looksSwapped } from './looks-swapped.ts';
import type { Position } from './position.ts';

const at = (latitude: number | undefined, longitude: number | undefined, timezone = 'Etc/UTC') => ({
  timezone,
  latitude,
  longitude,
});
const phoenix = at(33.4, -112);
const inZone = (timezone: string) => at(undefined, undefined, timezone);

it.each<[string, Position, Parameters<typeof looksSwapped>[1], boolean]>([
  ['an area of the city', [-112.1, 33.5], phoenix, false],
  ['an area of the city with its axes exchanged', [33.5, -112.1], phoenix, true],
  ['one whose latitude is almost two degrees away', [33.5, -113.9], phoenix, true],
  ['one whose latitude is two degrees away', [33.4, -114], phoenix, false],
  ['one whose longitude is two degrees away', [35.4, -112], phoenix, false],
  ['an area elsewhere', [10, 50], phoenix, false],
  ['an area of a city whose axes are alike', [11, 10], at(10, 11), false],
  ['an area two degrees from a city whose axes are alike', [12.5, 10.5], at(11.5, 10.5), false],
  ['an area just beyond two degrees', [12.5, 10.2], at(11, 10.4), true],
  ['an area whose city has no longitude', [33.5, -112.1], at(33.4, undefined, 'America/Phoenix'), true],
  ['an area whose city has no latitude', [33.5, -112.1], at(undefined, -112, 'America/Phoenix'), true],
  ['an area of the time zone', [-112.1, 33.5], inZone('America/Phoenix'), false],
  ['an area of the time zone with its axes exchanged', [33.5, -112.1], inZone('America/Phoenix'), true],
  ['one 75 degrees from the zone', [-30, -105], inZone('America/Phoenix'), false],
  ['one 76 degrees from the zone', [-29, -105], inZone('America/Phoenix'), true],
  ['one whose latitude is 50 degrees from the zone', [33, -55], inZone('America/Phoenix'), false],
  ['one whose latitude is 49 degrees from the zone', [33, -56], inZone('America/Phoenix'), true],
  ['an area beyond the 180th meridian', [-179, -20], inZone('Pacific/Auckland'), false],
  ['one 45 degrees beyond the 180th meridian from the zone', [-120, 160], inZone('Pacific/Auckland'), false],
  ['an area with summer in January', [-36.8, 174.7], inZone('Pacific/Auckland'), true],
  ['a zone without a place', [33.5, -112.1], inZone('Etc/GMT+7'), false],
  ['a zone that is only a name', [33.5, -112.1], inZone('MST'), false],
])('looksSwapped: %s', (_, center, city, expected) => {
  expect(looksSwapped(center, city)).toBe(expected);
});
