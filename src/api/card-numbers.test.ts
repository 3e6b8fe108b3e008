import { expect, test } from 'vitest';
import { holdsCardNumber } from './card-numbers.ts';

test.each([
  '4242424242424242',
  '4242 4242 4242 4242',
  '4242-4242-4242-4242',
  '4242 - 4242 - 4242 - 4242',
  '4242\u00a04242\u00a04242\u00a04242',
  '4242–4242–4242–4242',
  '3782 822463 10005',
  '4222222222222',
  '6304000000000000000',
  'my card is 4242424242424242, thanks',
  '4242424242424242 12/34',
  '4242 4242 4242 4242 1234 123',
  '12-34 4242 4242 4242 4242',
])('%j holds a card number, wherever it stands', (text) => {
  expect([text, { note: text }, [[text]], { [text]: 1 }].map(holdsCardNumber)).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

test.each([
  '4242424242424241',
  '4242 4242 4242 4241 12',
  '424242424242',
  '00000042424242424242424242',
  '2026-11-20T23:45:00+00:00',
  '+1 415 555 0100',
  '94103-1234',
])('%j holds none', (text) => {
  expect([text, { note: text }, { [text]: 1 }].map(holdsCardNumber)).toEqual([false, false, false]);
});
