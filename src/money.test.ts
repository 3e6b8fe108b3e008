import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountProblem, centsOf, decimalOf, dollarsOf, entryCentsMax, exactNumber } from './money.ts';

describe('money', () => {
  it.each([
    ['12.50', 1250n],
    ['12.5', 1250n],
    ['12', 1200n],
    ['0.01', 1n],
    ['-3.07', -307n],
    ['000012.00', 1200n],
    ['999999999.99', entryCentsMax],
    ['-000999999999.99', -entryCentsMax],
  ])('reads %s', (text, cents) => {
    expect(amountProblem(text)).toBeUndefined();
    expect(centsOf(text)).toBe(cents);
  });

  const form = 'Use digits with up to two decimal places and no currency sign, such as 12.50.';
  const decimals = 'Use at most two decimal places.';
  const commas = 'Write the amount without commas, such as 1284.50.';
  const maximum = 'The maximum amount is $999,999,999.99.';

  it.each([
    ['Enter an amount, such as 12.50.', ['']],
    [decimals, ['1.234', '-12.345', '0.0001']],
    [commas, ['1,284.50', '-1,284', '12,50', '1.284,50', '1, 284', ',5', '5,']],
    [maximum, ['1000000000.00', '-1000000000', '90071992547409.93', '9'.repeat(400)]],
    [form, [' ', ' 5', '5 ', '5\n', '5.', '.5', '1.2.3', '1_000', '+5', '--5', '1-', '1.234x', 'x1.234']],
    [form, ['$12.50', '12.50$', '12.50 USD', '$1,284', '1,284 USD', '€5', '١٢', '１２']],
    [form, ['NaN', 'Infinity', 'null', '1e309', '1e3', '0x10']],
  ])('refuses with the sentence %s', (sentence, texts) => {
    for (const text of texts) {
      expect([text, amountProblem(text)]).toEqual([text, sentence]);
      expect(() => centsOf(text)).toThrow(new RangeError(sentence));
    }
  });

  it('round-trips any number of cents', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -99_999_999_999n, max: 99_999_999_999n }), (cents) => {
        expect(centsOf(decimalOf(cents))).toBe(cents);
      }),
    );
  });

  it('is exact beyond 2^53 cents as text, and throws for a number', () => {
    expect(entryCentsMax).toBe(99_999_999_999n);
    expect(decimalOf(9_007_199_254_740_993n)).toBe('90071992547409.93');
    expect(dollarsOf(9_007_199_254_740_993n)).toBe('$90,071,992,547,409.93');
    expect([9_007_199_254_740_991n, -9_007_199_254_740_991n].map(exactNumber)).toEqual([
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
    ]);
    for (const cents of [9_007_199_254_740_992n, -9_007_199_254_740_993n])
      expect(() => exactNumber(cents)).toThrow(
        new RangeError('The sum exceeds 2^53 cents and can’t be represented exactly.'),
      );
  });

  it.each([
    [0n, '0.00', '$0.00'],
    [-1n, '-0.01', 'credit of $0.01'],
    [-1_200n, '-12.00', 'credit of $12.00'],
    [99_999n, '999.99', '$999.99'],
    [128_450n, '1284.50', '$1,284.50'],
    [-100_000_000n, '-1000000.00', 'credit of $1,000,000.00'],
  ])('shows %d cents as %s to programs and as %s to people', (cents, decimal, dollars) => {
    expect([decimalOf(cents), dollarsOf(cents)]).toEqual([decimal, dollars]);
  });
});
