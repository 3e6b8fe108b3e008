import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { formatInstant } from '#src/instant.ts';

/** ISO 8601 with a numeric offset, never `Z`. */
export const timestampSchema = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\+|-)\d{2}:\d{2}$/)
  .meta({ description: 'ISO 8601 with a numeric offset.', examples: ['2026-11-20T23:45:00+00:00'] });

/**
 * @param instant the moment
 * @param timeZone the zone whose offset at that moment is written
 */
export function presentTimestamp(instant: Date, timeZone = 'UTC'): string {
  if (timeZone === 'UTC') return `${instant.toISOString().slice(0, 19)}+00:00`;
  const key = `${instant.getTime()} ${timeZone}`;
  const known = cache.get(key);
  if (known) return known;
  const text = formatInstant(instant, timeZone);
  cache.set(key, text);
  return text;
}

/** Zone lookups are slow, and most calls are for the bounds of the current month. */
const cache = new LRUCache<string, string>({ max: 2_000 });
