import { LRUCache } from 'lru-cache';
import { Temporal } from 'temporal-polyfill';

export type MonthBounds = { start: Date; end: Date };

/**
 * The first instant of a month and of the next in a zone. Where midnight comes twice, the first one; where the clock
 * jumps over it, the jump.
 * @param month its first day, `2026-11-01`
 * @param timeZone an IANA name
 * @throws RangeError for an unknown zone or a malformed day
 */
export function monthBounds(month: string, timeZone: string): MonthBounds {
  const key = `${month} ${timeZone}`;
  const known = cache.get(key);
  if (known) return known;
  const first = Temporal.PlainDate.from(month).with({ day: 1 });
  const bounds = { start: startOfDay(first, timeZone), end: startOfDay(first.add({ months: 1 }), timeZone) };
  cache.set(key, bounds);
  return bounds;
}

/** Cached, because zone lookups are slow and there are few zones and one current month. */
const cache = new LRUCache<string, MonthBounds>({ max: 2_000 });

function startOfDay(date: Temporal.PlainDate, timeZone: string): Date {
  return new Date(date.toZonedDateTime(timeZone).epochMilliseconds);
}

export function isZoneOfRuntime(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
