import { describe, expect, it } from 'vitest';
import { hasLuhnDigit } from './numbers.ts';
import { cardByNumber, cardByTestId, TEST_CARDS, testCard } from './test-cards.ts';

describe('test cards', () => {
  it('have valid check digits and different numbers', () => {
    const numbers = Object.values(TEST_CARDS).map(({ number }) => number);
    expect(numbers.filter((number) => !hasLuhnDigit(number))).toEqual([]);
    expect(new Set(numbers).size).toBe(numbers.length);
    const countries = ['ar', 'br', 'de', 'fr', 'gb', 'jp', 'th'].map((code) => testCard(code).number);
    expect(countries.map((number) => cardByNumber(number))).toEqual([
      'ar',
      'br',
      'de',
      'fr',
      'gb',
      'jp',
      'th',
    ]);
  });

  it.each([
    ['tok_visa', 'visa'],
    ['pm_card_us', 'visa'],
    ['tok_visa_chargeDeclined', 'chargeDeclined'],
    ['tok_radarBlock', 'chargeDeclinedFraudulent'],
    ['pm_card_gb_debit', 'gb_debit'],
    ['tok_visa_applePay', 'visa_applePay'],
    ['tok_visa_applePayChargeDeclined', 'visa_applePayChargeDeclined'],
    ['tok_visa_googlePayAuthenticationRequired', 'visa_googlePayAuthenticationRequired'],
    ['tok_1Pgc75B7WZ01zgkWlHVgdEGJ', undefined],
    ['tok_constructor', undefined],
  ])('%s is the test ID of %s', (id, name) => {
    expect(cardByTestId(id)).toBe(name);
  });
});
