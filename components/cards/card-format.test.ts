import { describe, expect, it } from 'vitest';
import type { CardObject } from '#src/api/schemas.ts';
import { afterRemoval, cardName, expiredSentence, expiryOf } from './card-format.ts';

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
  isDefault: false,
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

it('describes a card without a known last4', () => {
  expect(cardName(card())).toBe('Visa ending in 4242');
  expect(cardName(card({ last4: null, brand: 'unknown' }))).toBe('Card');
});

it('expiredSentence: is about one card or several, if none is valid', () => {
  const [valid, expired, other] = [
    card({ id: 1 }),
    card({ id: 2, expMonth: '10' }),
    card({ id: 3, expYear: '2024' }),
  ];
  const sentences = [[], [valid], [expired], [expired, other], [expired, valid]].map((cards) =>
    expiredSentence(cards, november),
  );
  const [one, all] = ['Your card has expired.', 'All of your cards have expired.'];
  expect(sentences).toEqual([undefined, undefined, one, all, undefined]);
});

describe('afterRemoval', () => {
  const removed = card({ isDefault: true });
  const expired = card({ id: 2, expMonth: '10' });
  const other = card({ id: 3, last4: '1881' });
  const older = card({ id: 4, last4: '0005' });

  it.each([
    ['an only card', [removed], /^It’s your only card, so you’ll need another one/],
    ['the default card', [expired, removed, other, older], /^Visa ending in 1881 will be your default\.$/],
    ['the default card, when the others have expired', [expired, removed], /^Your other cards have expired/],
  ])('of %s', (_, cards, text) => {
    expect(afterRemoval(removed, cards, november)).toMatch(text);
  });

  it('of another card says nothing', () => {
    expect(afterRemoval(other, [removed, other], november)).toBe('');
  });
});
