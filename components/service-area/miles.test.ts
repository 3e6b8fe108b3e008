import { expect, test } from 'vitest';
import { agreedMiles, measuredMiles } from './miles.ts';

test('formats measured miles with one decimal and price steps as entered', () => {
  expect([0, 1, 3.16, 1234].map(measuredMiles)).toEqual([
    '0.0 miles',
    '1.0 miles',
    '3.2 miles',
    '1,234.0 miles',
  ]);
  expect([1, 2.5, 20].map(agreedMiles)).toEqual(['1 mile', '2.5 miles', '20 miles']);
});
