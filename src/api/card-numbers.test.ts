import { expect, test } from 'vitest';
import { holdsCardNumber } from './card-numbers.ts';

/** Numbers of the length that begin like these and pass the Luhn check. */
const numbersOf = (length: number, prefixes: string) =>
  prefixes.split(' ').map((prefix) => {
    const digits = prefix.padEnd(length - 1, '0');
    const doubled = [...digits].toReversed().map((digit, index) => Number(digit) * (index % 2 === 0 ? 2 : 1));
    const sum = doubled.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
    return `${digits}${(10 - (sum % 10)) % 10}`;
  });

test.each([
  '4242424242424242',
  '4242 4242 4242 4242',
  '4242-4242-4242-4242',
  '4242 - 4242 - 4242 - 4242',
  '4242\u00a04242\u00a04242\u00a04242',
  '4242–4242–4242–4242',
  '4242.4242.4242.4242',
  '4242_4242_4242_4242',
  '4242/4242/4242/4242',
  '4242+4242+4242+4242',
  '1234.4242.4242.4242.4242.12.34',
  '3782.822463.10005',
  '42424242.42424242',
  '4242/42424242/4242',
  '4242.4242-42424242',
  '3056/930902/5904',
  '42424242\u200b42424242',
  '４２４２ ４２４２ ４２４２ ４２４２',
  '٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢',
  // From the second set of digits of Myanmar's Pao Karen.
  [...'4242424242424242'].map((digit) => String.fromCodePoint(0x116da + Number(digit))).join(''),
  '3782 822463 10005',
  '4222222222222',
  '6304000000000000000',
  'my card is 4242424242424242, thanks',
  '4242424242424242 12/34',
  '4242 4242 4242 4242 1234 123',
  '12-34 4242 4242 4242 4242',
  [...'4242424242424242'].join(' - '),
  '5555555555554444',
  '2223003122003222',
  '6011000990139424',
  '3056930009020004',
  '36227206271667',
  '3530111333300000',
  '6200000000000005',
  '2200123456789019',
  // The first and the last number of each range.
  ...numbersOf(16, '5100 5199 5500 5599 2221 2230 2229 2299 2300 2699 2700 2719 2720'),
  ...numbersOf(15, '3400 3700'),
  ...numbersOf(16, '6011 6440 6499 6500 6599'),
  ...numbersOf(14, '3000 3059 3095 3600 3800 3999'),
  ...numbersOf(16, '3528 3529 3530 3589'),
  ...numbersOf(16, '6200 6299 8100 8199'),
  ...numbersOf(13, '5018 5020 5038 5893 6304 6759 6761 6762 6763'),
  ...numbersOf(16, '2200 2204'),
  ...numbersOf(16, '5080 5089 6000 8200 8299'),
])('%j holds a card number, wherever it stands', (text) => {
  for (const value of [text, { note: text }, [[text]], { [text]: 1 }])
    expect(holdsCardNumber(value)).toBe(true);
});

test.each([
  '4242424242424241',
  '4242424242424247',
  '4242 4242 4242 4241 12',
  '424242424242',
  '00000042424242424242424242',
  '2026-11-20T23:45:00+00:00',
  // With colons as separators, its digits are those of a card number.
  '2026-11-30 23:45:00.015838+00:00',
  '+1 415 555 0100',
  '94103-1234',
  '1795331234561',
  '9000123456789016',
  ...numbersOf(16, '5000 5600 2220 2721 3500 3527 6439 6600 2205'),
  ...numbersOf(14, '3060'),
  // Not of the network's length.
  ...numbersOf(14, '4242'),
  ...numbersOf(16, '3400'),
  ...numbersOf(15, '5100'),
  ...numbersOf(17, '5100'),
  ...numbersOf(17, '5080'),
  // Within a longer number.
  ...numbersOf(17, '94242 95100 96011 93528 96200 92200 95080'),
  ...numbersOf(16, '93400'),
  ...numbersOf(15, '93000'),
  ...numbersOf(14, '95018'),
  '+1 555 010 199 001 5',
  '14242.4242.4242.4242',
  '4242 and 4242 and 4242 and 4242',
  '4242a4242a4242a4242',
  '4242 -- 4242 -- 4242 -- 4242',
  'order 15550101990015',
  '42420000-4242-4242-8242-a00000000000',
])('%j holds none', (text) => {
  for (const value of [text, { note: text }, { [text]: 1 }]) expect(holdsCardNumber(value)).toBe(false);
});

test('card numbers in JSON: numbers are checked, and null and booleans hold none', () => {
  expect(holdsCardNumber({ number: 4_242_424_242_424_242 })).toBe(true);
  expect(holdsCardNumber([null, true, undefined, { empty: null }])).toBe(false);
});
