import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

export type FileLock = { release: () => void };

const SQLITE_BUSY = 5;
const POLL_MS = 50;

/**
 * Takes a lock on a file, or answers undefined where others hold it. The kernel keeps the lock and frees it when the
 * process dies, however it dies, so that no lock is ever stale; SQLite is the only door to such locks that Node has.
 * @param file made when missing; nothing is ever written into it
 */
export function tryLock(file: string, kind: 'shared' | 'exclusive'): FileLock | undefined {
  const handle = new DatabaseSync(file);
  try {
    handle.exec('PRAGMA busy_timeout = 0');
    handle.exec(kind === 'shared' ? 'BEGIN' : 'BEGIN EXCLUSIVE');
    // A transaction takes its shared lock with its first read.
    handle.prepare('SELECT count(*) FROM sqlite_schema').get();
    return { release: () => handle.isOpen && handle.close() };
  } catch (error) {
    handle.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}

/**
 * @param waitMs how long to wait for the others
 * @throws Error with `sentence` when they still hold it then
 */
export async function waitForLock(
  file: string,
  kind: 'shared' | 'exclusive',
  waitMs: number,
  sentence: string,
): Promise<FileLock> {
  const deadlineMs = Date.now() + waitMs;
  for (;;) {
    const lock = tryLock(file, kind);
    if (lock) return lock;
    if (Date.now() > deadlineMs) throw new Error(sentence);
    await delay(POLL_MS);
  }
}
