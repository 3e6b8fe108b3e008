import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readSettings } from '#src/settings.ts';
import { nextRestartWaitMs, startWorkers } from './workers.ts';

test('workers: wait longer each time that a process ends soon after its start, up to a minute', () => {
  const waits = [0];
  for (let end = 0; end < 8; end += 1) waits.push(nextRestartWaitMs(waits.at(-1) ?? 0, 500));
  expect(waits.slice(1)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

test('workers: replace a process that had run for 10 seconds after one second', () => {
  expect(nextRestartWaitMs(32_000, 10_000)).toBe(1_000);
});

test('workers: replace processes that end at the same time together, after one second', async () => {
  vi.useFakeTimers();
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(cluster, 'setupPrimary').mockReturnValue();
  const workers = new Map<number, Worker>();
  vi.spyOn(cluster, 'workers', 'get').mockImplementation(() => Object.fromEntries(workers));
  const fork = vi.spyOn(cluster, 'fork').mockImplementation(() => {
    const id = fork.mock.calls.length;
    const worker = Object.assign(new EventEmitter(), { id, process: { pid: id }, send: () => true });
    workers.set(id, worker as unknown as Worker);
    process.nextTick(() => worker.emit('message', 'ready'));
    return worker as unknown as Worker;
  });
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
    for (const event of ['listening', 'exit']) cluster.removeAllListeners(event);
  });
  await startWorkers(readSettings({ WEB_CONCURRENCY: '4' }));
  for (const [id, worker] of [...workers]) {
    workers.delete(id);
    cluster.emit('exit', worker, null, 'SIGKILL');
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(fork).toHaveBeenCalledTimes(8);
});
