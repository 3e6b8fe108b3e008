import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import path from 'node:path';
import type { Settings } from '#src/settings.ts';
import { StartError, say } from './cli-output.ts';

const restartWaitMinMs = 1_000;
const restartWaitMaxMs = 60_000;
/** A process that has served this long did not fail because of its start. */
const soundMs = 10_000;
/** After the drain. With the time that the embedded database takes, less than the 10 seconds of Docker. */
const stopWaitMs = 9_000;

/**
 * Serves the port with several processes that share only the port. A process that ends is replaced.
 * @returns a function that stops them after their requests in flight
 * @throws StartError when one of them cannot start
 */
export async function startWorkers(settings: Settings): Promise<() => Promise<void>> {
  const count = settings.WEB_CONCURRENCY;
  const servingSince = new WeakMap<Worker, number>();
  const fork = () => {
    const worker = cluster.fork();
    worker.on('error', ({ code }: NodeJS.ErrnoException) => {
      // Without a process, such as for lack of file descriptors, there is no exit. Other errors are those of messages.
      if (worker.process.pid !== undefined) return;
      delete cluster.workers?.[worker.id];
      replace(`A worker process could not be started (${code})`, 0);
    });
    if (worker.process.pid === undefined) return worker;
    closeUnaccepted(worker);
    worker.send(settings, () => {});
    return worker;
  };
  const killAfterMs = settings.DRAIN_SECONDS * 1_000 + stopWaitMs;
  cluster.setupPrimary({ exec: path.join(import.meta.dirname, 'worker.ts') });
  const workers = Array.from({ length: count }, fork);
  let restarting: NodeJS.Timeout | undefined;
  let isStopping = false;
  const close = async () => {
    isStopping = true;
    clearTimeout(restarting);
    await Promise.all(
      Object.values(cluster.workers ?? {}).map(
        // A process that is still starting has no requests.
        (worker) => worker && stop(worker, servingSince.has(worker) ? killAfterMs : 0),
      ),
    );
  };
  let waitMs = 0;
  const restart = () => {
    restarting = undefined;
    while (Object.keys(cluster.workers ?? {}).length < count)
      isReady(fork()).then(
        () => say('✓ Another worker process serves'),
        // Its exit is reported, and it is replaced.
        () => {},
      );
  };
  const replace = (failure: string, servedMs: number) => {
    if (isStopping) return;
    // Processes that end together are replaced together, and one that has served well does not wait for those that fail.
    if (!restarting || (servedMs >= soundMs && waitMs > restartWaitMinMs)) {
      waitMs = nextRestartWaitMs(waitMs, servedMs);
      clearTimeout(restarting);
      restarting = setTimeout(restart, waitMs);
    }
    say(`✗ ${failure}. Starting another one in ${waitMs / 1_000} s.`);
  };
  cluster.on('listening', (worker) => servingSince.set(worker, performance.now()));
  cluster.on('exit', (worker, code, signal) => {
    const now = performance.now();
    replace(`A worker process exited (${signal ?? code})`, now - (servingSince.get(worker) ?? now));
  });
  await Promise.all(workers.map(isReady)).catch(async (error) => {
    await close();
    throw error;
  });
  return close;
}

/**
 * Closes the connection that a process was being handed when it crashed or was killed. Node.js hands over one at a time, and would
 * leave that one open. Delete when workers.spec.ts passes without it.
 */
function closeUnaccepted(worker: Worker): void {
  const child = worker.process;
  const send = child.send.bind(child) as (...values: unknown[]) => boolean;
  let handed: { close: () => void } | undefined;
  child.send = (...values: unknown[]) => {
    const [message, handle] = values as [{ act?: string }, typeof handed];
    if (message.act === 'newconn') handed = handle;
    return send(...values);
  };
  worker.once('exit', (code: number, signal: string | null) => {
    // One that ended in order has given it back.
    if (signal || code) handed?.close();
  });
}

/**
 * Doubles while processes keep ending soon after their start, so that they do not keep the machine busy.
 * @param servedMs how long the process that ended has served
 */
export function nextRestartWaitMs(waitMs: number, servedMs: number): number {
  if (servedMs >= soundMs) return restartWaitMinMs;
  return Math.min(Math.max(waitMs * 2, restartWaitMinMs), restartWaitMaxMs);
}

async function isReady(worker: Worker): Promise<void> {
  const ended = once(worker, 'exit').then(() => {
    throw new StartError('A worker process exited during startup.');
  });
  await Promise.race([once(worker, 'message'), ended]);
}

async function stop(worker: Worker, killAfterMs: number): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  worker.send('stop', () => {});
  // Do not wait for a process that no longer responds.
  const killTimer = setTimeout(() => worker.process.kill('SIGKILL'), killAfterMs);
  await ended;
  clearTimeout(killTimer);
}
