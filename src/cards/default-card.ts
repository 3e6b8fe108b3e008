import { LRUCache } from 'lru-cache';
import type { Card } from './card.ts';

export type Month = { year: number; month: number };

const minuteMs = 60_000;
/** Of the last minute that was asked for, in which the month is the same, because reading it from a format is slow. */
const months = new LRUCache<string, { minute: number; month: Month }>({ max: 1_000 });

/** The month in a time zone, by which cards expire. */
export function monthIn(timeZone: string, at = new Date()): Month {
  const minute = Math.floor(at.getTime() / minuteMs);
  const known = months.get(timeZone);
  if (known?.minute === minute) return known.month;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: 'numeric' });
  const parts = format.formatToParts(at);
  const partOf = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const month = { year: partOf('year'), month: partOf('month') };
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
