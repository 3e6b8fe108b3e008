import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import path from 'node:path';
import type { Settings } from '#src/settings.ts';
import { StartError, say } from './cli-output.ts';

const RESTART_WAIT_MS = 1_000;
/** Longer than the shutdown of requests in flight and the query timeout take. */
const STOP_WAIT_MS = 20_000;

/**
 * Serves the port with several processes that share only the port. A process that ends is replaced.
 * @returns a function that stops them after their requests in flight
 * @throws StartError when one of them cannot start
 */
export async function startWorkers(settings: Settings): Promise<() => Promise<void>> {
  const count = settings.WEB_CONCURRENCY;
  const fork = () => {
    const worker = cluster.fork();
    worker.send(settings, () => {});
    return worker;
  };
  cluster.setupPrimary({ exec: path.join(import.meta.dirname, 'worker.ts') });
  const workers = Array.from({ length: count }, fork);
  let restarting: NodeJS.Timeout | undefined;
  let isStopping = false;
  const close = async () => {
    isStopping = true;
    clearTimeout(restarting);
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && stop(worker)));
  };
  // Delayed, so that a process that always fails to start does not keep the machine busy.
  const restart = () => {
    while (Object.keys(cluster.workers ?? {}).length < count) fork();
  };
  cluster.on('exit', (_worker, code, signal) => {
    if (isStopping) return;
    say(`✗ A process that serves ended (${signal ?? code}): another takes its place.`);
    clearTimeout(restarting);
    restarting = setTimeout(restart, RESTART_WAIT_MS);
  });
  await Promise.all(workers.map(isReady)).catch(async (error) => {
    await close();
    throw error;
  });
  return close;
}

async function isReady(worker: Worker): Promise<void> {
  const ended = once(worker, 'exit').then(() => {
    throw new StartError('A process that should serve ended while it started.');
  });
  await Promise.race([once(worker, 'message'), ended]);
  ended.catch(() => {});
}

async function stop(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  // A process that is still starting receives it once it listens.
  worker.send('stop', () => {});
  // Do not wait for a process that no longer responds.
  const killTimer = setTimeout(() => worker.process.kill('SIGKILL'), STOP_WAIT_MS);
  await ended;
  clearTimeout(killTimer);
}
