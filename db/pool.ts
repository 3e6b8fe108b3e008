import pLimit from 'p-limit';
import type { ParameterOrJSON, Sql } from 'postgres';

/** More callers wait for the database than it could serve in a reasonable time, or it has not answered in that time. */
export class DatabaseBusyError extends Error {
  override name = 'DatabaseBusyError';
  /** What it is known by: Next's bundle has a class of its own, and what runs a query wraps what went wrong. */
  readonly code = 'DATABASE_BUSY';
}

export type StatementLimits = {
  connectionsMax?: number;
  /** Statements that a connection is sent before the first has ended: one, unless none of them can wait for a lock. */
  statementsPerConnectionMax?: number;
  /** After which a statement is given up; none for maintenance, which can take long. */
  statementTimeoutMs?: number;
};

/** How many callers may wait for a pool: what it serves in a fraction of a second. */
const queueMax = 500;

/**
 * A client that is never given more statements at once than its connections take on: postgres.js slows down for good
 * once its own queue has grown. Statements are prepared once for each connection.
 * @param current the client to send to, asked for each statement
 * @param onStall gets a client that has neither finished a statement nor reported its timeout in time
 */
export function limitStatements(
  current: () => Sql,
  onStall: (silent: Sql) => void,
  { connectionsMax = 4, statementsPerConnectionMax = 1, statementTimeoutMs }: StatementLimits,
): { client: Sql; isQueueFull: () => boolean } {
  const limit = pLimit(connectionsMax * statementsPerConnectionMax);
  const isQueueFull = () => limit.pendingCount >= queueMax;
  const watches = new WeakMap<Sql, Watch>();
  const watchOf = (client: Sql): Watch => {
    const watch = watches.get(client) ?? watchStall(statementTimeoutMs, () => onStall(client));
    // PostgreSQL runs the statements of one connection in turn, so that they share a watch.
    if (statementsPerConnectionMax > 1) watches.set(client, watch);
    return watch;
  };
  // Drizzle runs a query outside a transaction as `unsafe(…)` or, at once after it, `unsafe(…).values()`.
  const unsafe = (text: string, parameters?: ParameterOrJSON<never>[]) => {
    let rowsAsArrays = false;
    const send = async () => {
      const client = current();
      return watchOf(client)(async () => {
        const query = client.unsafe(text, parameters, { prepare: true });
        return await (rowsAsArrays ? query.values() : query);
      });
    };
    const rows = isQueueFull()
      ? Promise.reject(new DatabaseBusyError('Too many statements are waiting.'))
      : withTimeout(statementTimeoutMs, (checkInTime) =>
          limit(() => {
            checkInTime();
            return retryOnce(send);
          }),
        );
    const values = () => {
      rowsAsArrays = true;
      return rows;
    };
    return Object.assign(rows, { values });
  };
  const client = new Proxy(current(), {
    get: (_, name) => (name === 'unsafe' ? unsafe : Reflect.get(current(), name)),
  });
  return { client, isQueueFull };
}

type Watch = <T>(statement: () => Promise<T>) => Promise<T>;

/** PostgreSQL ends a slow statement itself, at the timeout: this is for its response to arrive. */
const graceMs = 2_000;

/**
 * Calls `onStall` when statements were sent and none of them has ended in time. PostgreSQL runs the statements of a
 * connection one after the other, so the time of those behind begins anew with each that ends.
 */
function watchStall(timeoutMs: number | undefined, onStall: () => void): Watch {
  let sent = 0;
  let timer: NodeJS.Timeout | undefined;
  return async (statement) => {
    if (timeoutMs === undefined) return statement();
    if (sent++ === 0) timer = setTimeout(onStall, timeoutMs + graceMs);
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
async function withTimeout<T>(
  timeoutMs: number | undefined,
  run: (checkInTime: () => void) => Promise<T>,
): Promise<T> {
  if (timeoutMs === undefined) return run(() => {});
  const { promise: late, reject } = Promise.withResolvers<never>();
  let error: DatabaseBusyError | undefined;
  const timer = setTimeout(() => {
    const busy = new DatabaseBusyError('The database did not answer in time.');
    error = busy;
    // After every timer that is due now: what the caller does next is not to meet a silent pool again.
    setImmediate(() => reject(busy));
  }, timeoutMs + graceMs);
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
async function retryOnce<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const isRetried = error instanceof Error && 'code' in error && retryCodes.has(error.code);
    if (!isRetried) throw error;
    return send();
  }
}
