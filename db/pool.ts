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
  /** The server has not even said in time that a statement took too long. */
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
  // Drizzle runs a query outside a transaction as `unsafe(…)` or, at once after it, `unsafe(…).values()`.
  const unsafe = (text: string, parameters?: ParameterOrJSON<never>[]) => {
    let rowsAsArrays = false;
    const run = async () => {
      const query = client.unsafe(text, parameters, { prepare: true });
      return await (rowsAsArrays ? query.values() : query);
    };
    const rows = isBusy()
      ? Promise.reject(new DatabaseBusyError('Too many queries are waiting.'))
      : withinTime(limit(run), limits);
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

/** PostgreSQL ends a slow statement itself, and soon; this is for one that says nothing, and for callers who wait. */
const silenceMs = 2_000;

async function withinTime<T>(rows: Promise<T>, { timeLimitMs, onSilence }: Limits): Promise<T> {
  if (timeLimitMs === undefined) return rows;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    onSilence?.();
    reject(new DatabaseBusyError('The database did not answer in time.'));
  }, timeLimitMs + silenceMs);
  try {
    return await Promise.race([rows, late]);
  } finally {
    clearTimeout(timer);
  }
}
