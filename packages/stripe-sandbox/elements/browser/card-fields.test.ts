import { expect, test } from 'vitest';
import { readCardCvc, readCardExpiry, readCardNumber } from './card-fields.ts';

test.each([
  ['4', '4', 'visa'],
  ['42424', '4242 4', 'visa'],
  ['5105105105105100', '5105 1051 0510 5100', 'mastercard'],
  ['2223003122003222', '2223 0031 2200 3222', 'mastercard'],
  ['2720', '2720', 'mastercard'],
  ['2721', '2721', 'unknown'],
  ['378282246310005', '3782 822463 10005', 'amex'],
  ['6011111111111117', '6011 1111 1111 1117', 'discover'],
  ['3056930009020004', '3056 9300 0902 0004', 'diners'],
  ['36227206271667', '3622 720627 1667', 'diners'],
  ['3566002020360505', '3566 0020 2036 0505', 'jcb'],
  ['6200000000000005', '6200 0000 0000 0005', 'unionpay'],
  ['9', '9', 'unknown'],
])('formats the number %s as %s, brand %s', (raw, text, brand) => {
  expect(readCardNumber(raw)).toMatchObject({ text, brand });
});

test('a number is incomplete until its last digit, and invalid only at full length', () => {
  expect(readCardNumber('')).toMatchObject({ empty: true, complete: false, error: undefined });
  const partly = readCardNumber('424242');
  expect(partly).toMatchObject({
    complete: false,
    error: undefined,
    unfinished: { code: 'incomplete_number' },
  });
  expect(readCardNumber('4242-4242 4242 4242 99')).toMatchObject({
    complete: true,
    digits: '4242424242424242',
  });
  expect(readCardNumber('4242424242424241')).toMatchObject({
    complete: false,
    error: { code: 'invalid_number' },
  });
  expect(readCardNumber('6200000000000005')).toMatchObject({ complete: true });
});

const NOW = new Date(2026, 10, 20);

test.each([
  ['1', '1'],
  ['2', '02 / '],
  ['13', '01 / 3'],
  ['12', '12 / '],
  ['1234', '12 / 34'],
  ['12 / 3', '12 / 3'],
  ['7/31', '07 / 31'],
  ['7/2031', '07 / 31'],
  ['122031', '12 / 31'],
])('formats the expiry %s as %s', (raw, text) => {
  expect(readCardExpiry(raw, NOW).text).toBe(text);
});

test.each([
  ['11/26', undefined, true],
  ['10/26', 'invalid_expiry_month_past', false],
  ['12/25', 'invalid_expiry_year_past', false],
  ['00/30', 'invalid_expiry_month', false],
  ['12/80', 'invalid_expiry_year', false],
  ['12', undefined, false],
])('in November 2026, the expiry %s has the error %s', (raw, code, complete) => {
  const reading = readCardExpiry(raw, NOW);
  expect([reading.error?.code, reading.complete]).toEqual([code, complete]);
});

test.each([
  ['123', 'visa', true, undefined],
  ['12', 'visa', false, 'incomplete_cvc'],
  ['123', 'amex', false, 'incomplete_cvc'],
  ['1234', 'amex', true, undefined],
  ['1234', 'visa', false, 'invalid_cvc'],
  ['1234', 'unknown', true, undefined],
])('the CVC %s of a %s card', (raw, brand, complete, code) => {
  const reading = readCardCvc(raw, brand);
  expect([reading.complete, reading.unfinished?.code]).toEqual([complete, code]);
});
