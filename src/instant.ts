import { Temporal } from 'temporal-polyfill';

const form =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** @returns ISO 8601 with the zone's offset, to the second */
export function formatInstant(instant: Date, timeZone = 'UTC'): string {
  return Temporal.Instant.fromEpochMilliseconds(instant.getTime())
    .toZonedDateTimeISO(timeZone)
    .toString({ smallestUnit: 'second', timeZoneName: 'never' });
}

/** The allowed years of entries; they bound how many months a payout reads. */
export const firstYear = 1970;
export const lastYear = 2099;

const needsOffset = 'Add the offset from UTC, such as 2026-11-20T14:30:00-08:00.';
const impossible = 'This date or time doesn’t exist.';

/**
 * Reads an instant with an offset; digits past the millisecond are cut off.
 * @param text ISO 8601, `2026-11-20T14:30:00-08:00`
 * @returns epoch milliseconds, or what is wrong with the text
 */
export function readInstant(text: string): number | string {
  const match = form.exec(text);
  if (!match) return `Must be a time. ${needsOffset}`;
  const [, year, month, day, hour, minute, second, fraction = '', zone] = match;
  if (!zone || hour === undefined) return needsOffset;
  const parts = [year, month, day, hour, minute, second ?? '0'].map(Number);
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = parts;
  if (y < firstYear || y > lastYear) return `The year must be from ${firstYear} to ${lastYear}.`;
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const utc = Date.UTC(y, mo - 1, d, h, mi, s, ms);
  const isReal = new Date(utc).getUTCDate() === d && mo >= 1 && mo <= 12 && h < 24 && mi < 60 && s < 60;
  const offset = offsetMinutes(zone);
  return isReal && offset !== undefined ? utc - offset * 60_000 : impossible;
}

function offsetMinutes(zone: string): number | undefined {
  if (/^z$/i.test(zone)) return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', ''));
  if (hours > 15 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * Reads what a person writes: `now`, an instant with offset, or a day or time by the clock of a zone (of two such
 * instants the earlier; a time that the clock jumps over is moved past the jump).
 * @returns epoch milliseconds, or what is wrong with the text
 */
export function readLocalInstant(text: string, timeZone: string): number | string {
  if (text === 'now') return Date.now();
  const match = form.exec(text);
  if (!match || match[8]) return readInstant(text);
  const inUtc = readInstant(`${text.length === 10 ? `${text}T00:00` : text}Z`);
  if (typeof inUtc === 'string') return inUtc;
  return Temporal.PlainDateTime.from(text.replace(',', '.')).toZonedDateTime(timeZone).epochMilliseconds;
}
