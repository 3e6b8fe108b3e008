import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

export type FileLock = { release: () => void };

const SQLITE_BUSY = 5;
const POLL_MS = 50;

/**
 * Locks a file, or returns undefined if another process holds the lock. The kernel releases the lock when the process
 * dies, so no lock is ever stale. SQLite is the only way to use such locks in Node.js.
 * @param file created if missing; stays empty
 */
export function tryLock(file: string, kind: 'shared' | 'exclusive'): FileLock | undefined {
  const handle = new DatabaseSync(file);
  try {
    handle.exec('PRAGMA busy_timeout = 0');
    handle.exec(kind === 'shared' ? 'BEGIN' : 'BEGIN EXCLUSIVE');
    // A transaction takes its shared lock with the first read.
    handle.prepare('SELECT count(*) FROM sqlite_schema').get();
    return { release: () => handle.isOpen && handle.close() };
  } catch (error) {
    handle.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}

/**
 * @param waitMs how long to wait for the lock
 * @throws Error with `sentence` if it is still held then, or the reason of `signal` when it aborts
 */
export async function waitForLock(
  file: string,
  kind: 'shared' | 'exclusive',
  waitMs: number,
  sentence: string,
  signal?: AbortSignal,
): Promise<FileLock> {
  const deadlineMs = performance.now() + waitMs;
  for (;;) {
    const lock = tryLock(file, kind);
    if (lock) return lock;
    if (performance.now() > deadlineMs) throw new Error(sentence);
    signal?.throwIfAborted();
    await delay(POLL_MS);
  }
}
