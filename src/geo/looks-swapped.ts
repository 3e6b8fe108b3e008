import { Temporal } from 'temporal-polyfill';
import type { Position } from './position.ts';

/** No inhabited point is farther from its time zone's meridian. */
const degreesFromZoneMax = 75;
/** Closer to the zone's meridian than this, a swapped position is plausible. */
const degreesFromZonePlausible = 50;
const degreesFromCityMax = 2;

/**
 * Whether a service area whose numbers are all in range still looks as if its axes were swapped: with its axes exchanged
 * it matches the city's own coordinates or time zone, and unswapped it does not.
 * @param center of the area, unswapped
 */
export function looksSwapped(
  center: Position,
  city: { timezone: string; latitude: number | undefined; longitude: number | undefined },
): boolean {
  const [longitude, latitude] = center;
  if (city.latitude !== undefined && city.longitude !== undefined) {
    const unswapped = Math.max(Math.abs(longitude - city.longitude), Math.abs(latitude - city.latitude));
    const swapped = Math.max(Math.abs(latitude - city.longitude), Math.abs(longitude - city.latitude));
    return swapped < degreesFromCityMax && unswapped > degreesFromCityMax;
  }
  // Zones such as Etc/GMT+8 and EST have no location.
  if (!/^(?!Etc\/)[A-Z]\w+\//.test(city.timezone)) return false;
  const meridian = zoneMeridian(city.timezone);
  return (
    degreesBetween(longitude, meridian) > degreesFromZoneMax &&
    degreesBetween(latitude, meridian) < degreesFromZonePlausible
  );
}

function zoneMeridian(timezone: string): number {
  const january = Temporal.Instant.from('2026-01-15T00:00:00Z').toZonedDateTimeISO(timezone);
  return (january.offsetNanoseconds / 3.6e12) * 15;
}

function degreesBetween(a: number, b: number): number {
  const difference = Math.abs(a - b) % 360;
  return Math.min(difference, 360 - difference);
}
