import pLimit from 'p-limit';
import type { ParameterOrJSON, Sql } from 'postgres';

/** More callers wait for the database than it could serve in a reasonable time, or it has not answered in that time. */
export class DatabaseBusyError extends Error {
  override name = 'DatabaseBusyError';
  /** What it is known by: Next's bundle has a class of its own, and what runs a query wraps what went wrong. */
  readonly code = 'DATABASE_BUSY';
}

export type Limits = {
  /** After which a statement is given up, in milliseconds; none for maintenance, which may take long. */
  timeLimitMs?: number;
  /** Statements that a connection is sent before the first is answered: one, unless none of them can wait for a lock. */
  queriesEach?: number;
  /** A statement was sent, and the server has not even said in time that it took too long. */
  onSilence?: () => void;
};

/** How many callers may wait for a pool: what it answers in a fraction of a second. */
const waitingMost = 500;

/**
 * The same client, never given more queries at once than its connections take on: postgres.js slows down for good
 * once its own queue has grown. Statements are prepared once for each connection.
 * @param atOnce queries
 * @returns it, and whether so many callers wait that the next one would be refused
 */
export function bounded(client: Sql, atOnce: number, limits: Limits): { client: Sql; isBusy: () => boolean } {
  const limit = pLimit(atOnce);
  const isBusy = () => limit.pendingCount >= waitingMost;
  const isPipelined = (limits.queriesEach ?? 1) > 1;
  const shared = silenceWatch(limits);
  // Drizzle runs a query outside a transaction as `unsafe(…)` or, at once after it, `unsafe(…).values()`.
  const unsafe = (text: string, parameters?: ParameterOrJSON<never>[]) => {
    let rowsAsArrays = false;
    const send = async () => {
      const query = client.unsafe(text, parameters, { prepare: true });
      return await (rowsAsArrays ? query.values() : query);
    };
    const watched = isPipelined ? shared : silenceWatch(limits);
    const rows = isBusy()
      ? Promise.reject(new DatabaseBusyError('Too many queries are waiting.'))
      : withinTime(limits, (checkInTime) =>
          limit(() => {
            checkInTime();
            return watched(() => retriedOnce(send));
          }),
        );
    const values = () => {
      rowsAsArrays = true;
      return rows;
    };
    return Object.assign(rows, { values });
  };
  const proxy = new Proxy(client, {
    get: (target, name) => (name === 'unsafe' ? unsafe : Reflect.get(target, name)),
  });
  return { client: proxy, isBusy };
}

/** PostgreSQL ends a slow statement itself, at the time limit: this is for its response to arrive. */
const graceMs = 2_000;

/**
 * Calls `onSilence` when statements were sent and none of them has ended in time. PostgreSQL runs the statements of a
 * connection one after the other, so the time of those behind begins anew with each that ends.
 */
function silenceWatch({ timeLimitMs, onSilence }: Limits) {
  let sent = 0;
  let timer: NodeJS.Timeout | undefined;
  return async <T>(statement: () => Promise<T>): Promise<T> => {
    if (timeLimitMs === undefined) return statement();
    if (sent++ === 0) timer = setTimeout(() => onSilence?.(), timeLimitMs + graceMs);
    try {
      return await statement();
    } finally {
      if (--sent === 0) clearTimeout(timer);
      else timer?.refresh();
    }
  };
}

/**
 * Rejects when the time is up, wherever the statement is by then.
 * @param run calls `checkInTime` before it sends: a statement whose caller has had its response is not sent any more
 */
async function withinTime<T>(
  { timeLimitMs }: Limits,
  run: (checkInTime: () => void) => Promise<T>,
): Promise<T> {
  if (timeLimitMs === undefined) return run(() => {});
  const { promise: late, reject } = Promise.withResolvers<never>();
  let error: DatabaseBusyError | undefined;
  const timer = setTimeout(() => {
    const busy = new DatabaseBusyError('The database did not answer in time.');
    error = busy;
    // After every timer that is due now: what the caller does next is not to meet a silent pool again.
    setImmediate(() => reject(busy));
  }, timeLimitMs + graceMs);
  const checkInTime = () => {
    if (error) throw error;
  };
  try {
    return await Promise.race([run(checkInTime), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A serialization failure and a deadlock: https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html */
const retryCodes = new Set<unknown>(['40001', '40P01']);

/** A statement that is a transaction of its own left nothing behind when it failed. */
async function retriedOnce<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const isRetried = error instanceof Error && 'code' in error && retryCodes.has(error.code);
    if (!isRetried) throw error;
    return send();
  }
}
