import { expect, it } from 'vitest';
import { monthsSentence } from './months-sentence.ts';

it.each([
  [
    [20_000, 0, 18_125],
    'At the end of the months before this one: most $200.00 in August, least $0.00 in September.',
  ],
  [
    [0, 0, 500, 18_125],
    'At the end of the months before this one: most $5.00 in September, least $0.00 in 2 months.',
  ],
  [
    [0, -1200, 99],
    'At the end of the months before this one: most $0.00 in August, least a credit of $12.00 in September.',
  ],
  [
    [-500, -1200, 0],
    'At the end of the months before this one: most a credit of $12.00 in September, least a credit of $5.00 in August.',
  ],
  [[0, 0, 222_222_221], '$0.00 at the end of each month before this one.'],
  [[-1200, 5], 'A credit of $12.00 at the end of each month before this one.'],
  [[700], 'No month has ended yet.'],
])('of %j says: %s', (balances, sentence) => {
  const first = 11 - balances.length;
  const months = balances.map((balanceCents, index) => ({
    month: `2026-${String(first + index).padStart(2, '0')}-01`,
    balanceCents,
  }));
  expect(monthsSentence(months)).toBe(sentence);
});
