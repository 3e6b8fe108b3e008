import { expect, it } from 'vitest';
import { pointText, typedPoint } from './typed-point.ts';

it.each([
  ['33.4484, -112.0740', [33.4484, -112.074]],
  ['33.4484,-112.0740', [33.4484, -112.074]],
  ['33.4484 -112.0740', [33.4484, -112.074]],
  ['  (33.4484,  −112.0740) ', [33.4484, -112.074]],
  ['33.4484°, -112.074°', [33.4484, -112.074]],
  ['0, 0', [0, 0]],
  ['-90, 180', [-90, 180]],
])('reads %s', (text, point) => {
  expect(typedPoint(text)).toEqual(point);
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
])('does not read %s', (text) => {
  expect(typedPoint(text)).toBeUndefined();
});

it('formats the point that it parses', () => {
  expect(pointText([33.44841, -112.07399])).toBe('33.4484, -112.0740');
});
