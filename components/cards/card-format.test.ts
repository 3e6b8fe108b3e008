import { describe, expect, it } from 'vitest';
import type { CardObject } from '#src/api/schemas/card.ts';
import { cardName, defaultCard, expiryOf, monthIn } from './card-format.ts';

const card = (changes: Partial<CardObject> = {}): CardObject => ({
  id: 1,
  uuid: '5b0a9d5e-7f4b-4f0e-9d3a-0b6f3b1f7c11',
  last4: '4242',
  brand: 'visa',
  funding: 'credit',
  addressCountry: 'US',
  addressZip: '95814',
  isApplePayCard: false,
  expMonth: '11',
  expYear: '2026',
  createdAt: '2026-01-05T10:00:00+00:00',
  ...changes,
});
const november = { year: 2026, month: 11 };

describe('expiryOf', () => {
  it.each([
    ['10', '2026', 'expired'],
    ['12', '2025', 'expired'],
    ['11', '2026', 'expires_soon'],
    ['01', '2027', 'expires_soon'],
    ['02', '2027', 'valid'],
    ['11', '2031', 'valid'],
  ])('a card of %s/%s in November 2026 is %s', (expMonth, expYear, expected) => {
    expect(expiryOf(card({ expMonth, expYear }), november)).toBe(expected);
  });

  it('treats an unknown expiry as not expired', () => {
    expect(expiryOf(card({ expMonth: null, expYear: null }), november)).toBe('valid');
  });
});

describe('defaultCard', () => {
  it('returns the newest unexpired card, in any order', () => {
    const cards = [card({ id: 2 }), card({ id: 7, expYear: '2025' }), card({ id: 5 }), card({ id: 1 })];
    expect(defaultCard(cards, november)?.id).toBe(5);
  });

  it('returns undefined when all cards have expired', () => {
    expect(defaultCard([card({ expYear: '2020' })], november)).toBeUndefined();
  });
});

it("uses the month of the customer's time zone, not of the machine", () => {
  const newYear = new Date('2027-01-01T02:00:00Z');
  expect(monthIn('America/Los_Angeles', newYear)).toEqual({ year: 2026, month: 12 });
  expect(monthIn('Asia/Tokyo', newYear)).toEqual({ year: 2027, month: 1 });
});

it('describes a card without a known last4', () => {
  expect(cardName(card())).toBe('Visa ending in 4242');
  expect(cardName(card({ last4: null, brand: 'unknown' }))).toBe('Card');
});
