import { expect, it } from 'vitest';
import {
  formatMeasuredMiles,
  formatPosition,
  formatSetMiles,
  formatSquareMiles,
  parsePosition,
} from './format.ts';

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

it('parsePosition rejects a long text in linear time', () => {
  const spaces = ' '.repeat(5_000);
  expect(parsePosition(`${spaces}1${spaces}2${spaces}x`)).toBeUndefined();
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

it('formatSquareMiles writes a small area with two digits', () => {
  expect([0.381, 1.04, 9.97, 1234.5].map(formatSquareMiles)).toEqual([
    '0.38 square miles',
    '1 square mile',
    '10 square miles',
    '1,235 square miles',
  ]);
});

it('formatSetMiles writes a distance as it was set', () => {
  expect([1, 2.5, 20].map(formatSetMiles)).toEqual(['1 mile', '2.5 miles', '20 miles']);
});
