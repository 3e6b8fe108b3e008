import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountProblem, centsOf, decimalOf, dollarsOf } from './money.ts';

describe('money', () => {
  it.each([
    ['12.50', 1250n],
    ['12.5', 1250n],
    ['12', 1200n],
    ['0.01', 1n],
    ['-3.07', -307n],
    ['000012.00', 1200n],
    ['999999999.99', 99_999_999_999n],
  ])('reads %s', (text, cents) => {
    expect(amountProblem(text)).toBeUndefined();
    expect(centsOf(text)).toBe(cents);
  });

  it.each([
    '',
    ' ',
    '1.234',
    '0.001',
    '1,284.50',
    '12,50',
    '1.284,50',
    '$12.50',
    '12.50$',
    '12.50 USD',
    '€5',
    'NaN',
    'Infinity',
    '1e309',
    '1e3',
    '0x10',
    '١٢',
    '１２',
    '+5',
    '--5',
    '5.',
    '.5',
    ' 5',
    '5 ',
    '1_000',
    '1000000000.00',
    '90071992547409.93',
    '9'.repeat(400),
    '5\n',
    'null',
  ])('refuses %j with a sentence', (text) => {
    expect(amountProblem(text)).toMatch(/\.$/);
    expect(() => centsOf(text)).toThrow(RangeError);
  });

  it('round-trips any number of cents', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -99_999_999_999n, max: 99_999_999_999n }), (cents) => {
        expect(centsOf(decimalOf(cents))).toBe(cents);
      }),
    );
  });

  it('is exact beyond 2^53 cents', () => {
    expect(decimalOf(9_007_199_254_740_993n)).toBe('90071992547409.93');
    expect(dollarsOf(9_007_199_254_740_993n)).toBe('$90,071,992,547,409.93');
  });

  it('labels negative amounts as credit', () => {
    expect(dollarsOf(-1200n)).toBe('credit of $12.00');
    expect(dollarsOf(128_450n)).toBe('$1,284.50');
  });
});
