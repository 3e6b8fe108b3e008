import { expect, it } from 'vitest';
import { monthsSentence } from './months-plot.tsx';

it.each([
  [[20_000, 0, 18_125], 'Month-end balances ranged from $0.00 (September) to $200.00 (August).'],
  [[0, 0, 500, 18_125], 'Month-end balances ranged from $0.00 (2 months) to $5.00 (September).'],
  [[0, -1200, 99], 'Month-end balances ranged from a credit of $12.00 (September) to $0.00 (August).'],
  [
    [-500, -1200, 0],
    'Month-end balances ranged from a credit of $5.00 (August) to a credit of $12.00 (September).',
  ],
  [[0, 0, 222_222_221], 'You owed $0.00 at the end of each past month.'],
  [[-1200, 5], 'You had a credit of $12.00 at the end of each past month.'],
])('of %j says: %s', (balances, sentence) => {
  const first = 11 - balances.length;
  const months = balances.map((balanceCents, index) => ({
    month: `2026-${String(first + index).padStart(2, '0')}`,
    balanceCents,
  }));
  expect(monthsSentence(months)).toBe(sentence);
});
