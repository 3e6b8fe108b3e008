import { expect, it } from 'vitest';
import { createConcurrencyLimit } from './concurrency-limit.ts';

it('concurrency limit: lets each customer do at most so many at a time', () => {
  const { begin } = createConcurrencyLimit(2);
  const [first, second] = [begin(7), begin(7)];
  expect([first, second].map((end) => typeof end)).toEqual(['function', 'function']);
  expect(begin(7)).toBeNull();
  expect(begin(8), 'another customer').not.toBeNull();
  first?.();
  first?.();
  expect(begin(7)).not.toBeNull();
  expect(begin(7), 'the first one ended once').toBeNull();
});
