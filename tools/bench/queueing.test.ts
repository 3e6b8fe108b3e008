import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkout } from '../checkout.ts';
import { queueingRows, simulateP99 } from './queueing.ts';

test('the simulation agrees with the formula of one server: ln 100 / (capacity - load)', () => {
  for (const load of [600, 3_000, 4_800]) {
    const expected = (Math.log(100) / (6_000 - load)) * 1_000;
    expect(Math.abs(simulateP99(load, 1) / expected - 1)).toBeLessThan(0.1);
  }
});

test('docs/scale.md has the numbers of the simulation', () => {
  const text = readFileSync(path.join(checkout, 'docs', 'scale.md'), 'utf8');
  for (const row of queueingRows()) expect(text).toContain(row);
});
