import { createServer } from 'node:http';
import { expect, test, vi } from 'vitest';
import { fakeTimers } from './fake-timers.ts';
import { listen } from './listen.ts';

test('fakeTimers: does not fake the timers of connections', async () => {
  const port = await listen(createServer((_, response) => response.end()));
  fakeTimers();
  const ended = vi.fn();
  setTimeout(ended, 1_000);
  await (await fetch(`http://127.0.0.1:${port}`)).text();
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect([ended.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
});
