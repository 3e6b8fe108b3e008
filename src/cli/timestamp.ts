import { Temporal } from 'temporal-polyfill';

/** ISO 8601 with the offset in force in a zone. */
export function timestamp(at: Date, timeZone = 'UTC'): string {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timeZone)
    .toString({ smallestUnit: 'second', timeZoneName: 'never' });
}

/** For people: the day and time by a zone's clock. */
export function localTime(at: Date, timeZone: string): string {
  return timestamp(at, timeZone).slice(0, 16).replace('T', ' ');
}
