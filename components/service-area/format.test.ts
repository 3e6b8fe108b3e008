import { expect, it } from 'vitest';
import { formatMeasuredMiles, formatPosition, formatSetMiles, parsePosition } from './format.ts';

it.each([
  ['33.4484, -112.0740', [-112.074, 33.4484]],
  ['33.4484,-112.0740', [-112.074, 33.4484]],
  ['33.4484 -112.0740', [-112.074, 33.4484]],
  ['  (33.4484,  −112.0740) ', [-112.074, 33.4484]],
  ['33.4484°, -112.074°', [-112.074, 33.4484]],
  ['0, 0', [0, 0]],
  ['-90, 180', [180, -90]],
])('parsePosition reads %s', (text, position) => {
  expect(parsePosition(text)).toEqual(position);
});

it.each([
  '',
  'Phoenix',
  '33.4484',
  '33.4484, west',
  '90.1, 0',
  '0, 180.5',
  '1,2,3',
  '33.4, -112.07 x',
  'NaN, 0',
])('parsePosition rejects %s', (text) => {
  expect(parsePosition(text)).toBeUndefined();
});

it('formatPosition writes four decimals', () => {
  expect(formatPosition([-112.07399, 33.44841])).toBe('33.4484, -112.0740');
});

it('formatMeasuredMiles always writes one decimal', () => {
  expect([0, 1, 3.16, 1234].map(formatMeasuredMiles)).toEqual([
    '0.0 miles',
    '1.0 miles',
    '3.2 miles',
    '1,234.0 miles',
  ]);
});

it('formatSetMiles writes a distance as it was set', () => {
  expect([1, 2.5, 20].map(formatSetMiles)).toEqual(['1 mile', '2.5 miles', '20 miles']);
});
