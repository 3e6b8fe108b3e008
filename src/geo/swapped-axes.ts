import { Temporal } from 'temporal-polyfill';
import type { Point } from './point.ts';

/** Farther from its zone's own meridian lies no inhabited place; nearer than this, a turned position is plausible. */
const farthestFromZone = 75;
const nearToZone = 50;
const nearToGiven = 2;

/**
 * Whether a service area whose numbers are all in range still looks as if its axes were swapped: turned, it lies where
 * the city's zone or its own coordinates say, and as it is, it does not.
 * @param centre of the area as read, `[longitude, latitude]`
 */
export function looksSwapped(
  centre: Point,
  city: { timezone: string; latitude: number | undefined; longitude: number | undefined },
): boolean {
  const [longitude, latitude] = centre;
  if (city.latitude !== undefined && city.longitude !== undefined) {
    const asRead = Math.max(Math.abs(longitude - city.longitude), Math.abs(latitude - city.latitude));
    const turned = Math.max(Math.abs(latitude - city.longitude), Math.abs(longitude - city.latitude));
    return turned < nearToGiven && asRead > nearToGiven;
  }
  // Zones without a place in their name lie nowhere.
  if (!/^(?!Etc\/)[A-Z]\w+\//.test(city.timezone)) return false;
  const meridian = zoneMeridian(city.timezone);
  return (
    degreesBetween(longitude, meridian) > farthestFromZone && degreesBetween(latitude, meridian) < nearToZone
  );
}

function zoneMeridian(timezone: string): number {
  const january = Temporal.Instant.from('2026-01-15T00:00:00Z').toZonedDateTimeISO(timezone);
  return (january.offsetNanoseconds / 3.6e12) * 15;
}

function degreesBetween(a: number, b: number): number {
  const apart = Math.abs(a - b) % 360;
  return Math.min(apart, 360 - apart);
}
