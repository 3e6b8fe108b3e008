import { expect, it } from 'vitest';
import { monthIn, withDefault } from './default-card.ts';

const card = (id: number, expYear: number | null = 2026, expMonth: number | null = 11) => ({
  id,
  expMonth,
  expYear,
});
const defaultOf = (
  cards: ReturnType<typeof card>[],
  at = '2026-11-15T12:00:00Z',
  zone = 'America/Los_Angeles',
) => withDefault(cards, zone, new Date(at)).flatMap(({ id, isDefault }) => (isDefault ? [id] : []));

it('default card: is the newest unexpired card, in any order', () => {
  expect(defaultOf([card(2), card(7, 2025), card(5), card(1)])).toEqual([5]);
});

it('default card: is missing without cards and when all have expired', () => {
  expect(defaultOf([])).toEqual([]);
  expect(defaultOf([card(1, 2020), card(2, 2026, 10)])).toEqual([]);
});

it.each([
  [null, null],
  [2020, null],
  [null, 1],
])('default card: can be one without a known expiry, such as year %s and month %s', (year, month) => {
  expect(defaultOf([card(1), card(2, year, month)])).toEqual([2]);
});

it("default card: expires with the month of the city's time zone", () => {
  const newYear = '2027-01-01T02:00:00Z';
  const cards = [card(1, 2030), card(2, 2026, 12)];
  expect(defaultOf(cards, newYear, 'America/Los_Angeles')).toEqual([2]);
  expect(defaultOf(cards, newYear, 'Asia/Tokyo')).toEqual([1]);
  expect(monthIn('America/Los_Angeles', new Date(newYear))).toEqual({ year: 2026, month: 12 });
  expect(monthIn('Asia/Tokyo', new Date(newYear))).toEqual({ year: 2027, month: 1 });
});
