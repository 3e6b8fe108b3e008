import { expect, test } from 'vitest';
import { nextRestartWaitMs } from './workers.ts';

test('workers: wait longer each time that a process ends soon after its start, up to a minute', () => {
  const waits = [0];
  for (let end = 0; end < 8; end += 1) waits.push(nextRestartWaitMs(waits.at(-1) ?? 0, 500));
  expect(waits.slice(1)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

test('workers: replace a process that had run for a minute after one second', () => {
  expect(nextRestartWaitMs(32_000, 60_000)).toBe(1_000);
});
