import { expect, test } from 'vitest';
import { table } from './output.ts';

test('table: aligns columns after names with wide letters, emoji, and combining marks', () => {
  const names = ['Acme', '東京デリ', 'Pizza 🍕', 'Jose\u0301'];
  const lines = table(names, { Name: (name) => name, City: () => 'san-jose', Miles: () => 7 }, ['Miles']);
  expect(lines.slice(1)).toEqual([
    'Acme      san-jose      7',
    '東京デリ  san-jose      7',
    'Pizza 🍕  san-jose      7',
    'Jose\u0301      san-jose      7',
  ]);
});
