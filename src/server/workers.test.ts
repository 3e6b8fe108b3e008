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

test('workers: replace a process that had served for 10 seconds after one second', () => {
  expect(nextRestartWaitMs(32_000, 10_000)).toBe(1_000);
});

/** Four processes, without programs, that have served for 10 seconds if they have `served`. */
async function startFour({ served }: { served: number[] }) {
  vi.useFakeTimers();
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(cluster, 'setupPrimary').mockReturnValue();
  const workers = new Map<number, Worker>();
  vi.spyOn(cluster, 'workers', 'get').mockImplementation(() => Object.fromEntries(workers));
  const fork = vi.spyOn(cluster, 'fork').mockImplementation(() => {
    const id = fork.mock.calls.length;
    const send = () => true;
    const worker = Object.assign(new EventEmitter(), { id, process: { pid: id, send }, send });
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
  for (const id of served) cluster.emit('listening', workers.get(id));
  await vi.advanceTimersByTimeAsync(10_000);
  const end = (id: number) => {
    const worker = workers.get(id);
    workers.delete(id);
    cluster.emit('exit', worker, null, 'SIGKILL');
  };
  return { fork, end };
}

test('workers: replace processes that end at the same time together, after one second', async () => {
  const { fork, end } = await startFour({ served: [] });
  for (const id of [1, 2, 3, 4]) end(id);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(fork).toHaveBeenCalledTimes(8);
});

test('workers: replace processes that end one after another a second after the first', async () => {
  const { fork, end } = await startFour({ served: [1, 2] });
  end(1);
  await vi.advanceTimersByTimeAsync(900);
  end(2);
  await vi.advanceTimersByTimeAsync(100);
  expect(fork).toHaveBeenCalledTimes(6);
});

test('workers: replace a process that had served after one second, also while others fail', async () => {
  const { fork, end } = await startFour({ served: [1] });
  end(2);
  await vi.advanceTimersByTimeAsync(1_000);
  end(5);
  end(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(fork).toHaveBeenCalledTimes(7);
});
