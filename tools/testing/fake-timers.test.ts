import { createServer } from 'node:http';
import { expect, test, vi } from 'vitest';
import { fakeTimers, timerCount } from './fake-timers.ts';
import { listen } from './listen.ts';

test('fakeTimers: does not fake the timers of connections', async () => {
  const port = await listen(createServer((_, response) => response.end()));
  fakeTimers();
  const ended = vi.fn();
  setTimeout(ended, 1_000, 'once');
  await (await fetch(`http://127.0.0.1:${port}`)).text();
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect([ended.mock.calls, vi.getTimerCount()]).toEqual([[['once']], 0]);
});

test('timerCount: counts the timers of one module that have neither ended nor been cleared', () => {
  fakeTimers();
  const [, second] = [10, 20, 30].map((ms) => setTimeout(() => {}, ms));
  const own = 'fake-timers.test.ts';
  expect([timerCount(own), timerCount('batches.ts')]).toEqual([3, 0]);
  clearTimeout(second);
  expect(timerCount(own)).toBe(2);
  vi.advanceTimersByTime(10);
  expect(timerCount(own)).toBe(1);
});
