import { expect, it } from 'vitest';
import { createConcurrencyLimit } from './concurrency-limit.ts';

it('concurrency limit: lets each customer do at most so many at a time', () => {
  const { begin } = createConcurrencyLimit(2);
  const [first, second] = [begin(7), begin(7)];
  expect([first, second].map((end) => typeof end)).toEqual(['function', 'function']);
  expect(begin(7)).toBeNull();
  expect(begin(8), 'another customer').not.toBeNull();
  first?.();
  expect(begin(7)).not.toBeNull();
  first?.();
  expect(begin(7), 'the first one ended once').toBeNull();
});

it('concurrency limit: a customer who has ended all can begin as many again', () => {
  const { begin } = createConcurrencyLimit(2);
  for (const end of [begin(7), begin(7)]) end?.();
  expect([begin(7), begin(7), begin(7)].map((end) => end === null)).toEqual([false, false, true]);
});
