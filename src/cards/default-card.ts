import { LRUCache } from 'lru-cache';
import { Temporal } from 'temporal-polyfill';
import type { Card } from './card.ts';

export type Month = { year: number; month: number };

const minuteMs = 60_000;
/** Of the last minute that was asked for, in which the month is the same, because zone lookups are slow. */
const months = new LRUCache<string, { minute: number; month: Month }>({ max: 1_000 });

/** The month in a time zone, by which cards expire. */
export function monthIn(timeZone: string, at = new Date()): Month {
  const minute = Math.floor(at.getTime() / minuteMs);
  const known = months.get(timeZone);
  if (known?.minute === minute) return known.month;
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
  const month = { year: local.year, month: local.month };
  months.set(timeZone, { minute, month });
  return month;
}

/**
 * Marks the default card: the newest unexpired one. A card expires at the end of its month, by the clock of the
 * customer's city.
 * @param cards all cards on file, in any order
 */
export function withDefault<Row extends Pick<Card, 'id' | 'expMonth' | 'expYear'>>(
  cards: Row[],
  timeZone: string,
  at = new Date(),
): (Row & { isDefault: boolean })[] {
  const now = monthIn(timeZone, at);
  const isUnexpired = ({ expMonth, expYear }: Row) =>
    expMonth === null || expYear === null || expYear * 12 + expMonth >= now.year * 12 + now.month;
  const newest = Math.max(...cards.filter(isUnexpired).map(({ id }) => id));
  return cards.map((card) => ({ ...card, isDefault: card.id === newest }));
}
