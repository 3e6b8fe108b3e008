import { expect, test } from 'vitest';
import { findLeaks } from './leak-scan.ts';

test.each([
  '4000000000000002',
  '"number":4000000000000002}',
  'status 402 4000-0000-0000-0002.',
  'v1.4000 0000 0000 0002',
  'card.4000000000000002',
])('a card number is a leak: %s', (text) => {
  expect(findLeaks(text)).toEqual(['a test card number']);
});

test.each(['0.14000000000000002', '1.4000000000000002'])('the decimals of a sum are no leak: %s', (sum) => {
  expect(findLeaks(`http_request_duration_seconds_sum ${sum}`)).toEqual([]);
});
