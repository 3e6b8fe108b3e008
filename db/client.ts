import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import pLimit from 'p-limit';
import postgres, { type ParameterOrJSON, type Sql } from 'postgres';
import { settings } from '#settings.ts';
import * as schema from './schema/index.ts';

export type Database = PostgresJsDatabase<typeof schema>;
export type Connection = { db: Database; close: () => Promise<void> };

/** More callers wait for the database than it could serve in a reasonable time, or it has not answered in that time. */
export class DatabaseBusyError extends Error {
  override name = 'DatabaseBusyError';
}

/**
 * A pool of its own.
 * @param url of a PostgreSQL server and database
 * @param max connections at most
 * @param timeLimitMs after which a query is given up; none for maintenance, which may take long
 */
export function connect(url: string, max = 4, timeLimitMs?: number): Connection {
  const client = postgres(url, {
    max,
    onnotice: () => {},
    connect_timeout: 10,
    connection: { application_name: 'scheduling', ...(timeLimitMs && { statement_timeout: timeLimitMs }) },
  });
  return {
    db: drizzle(bounded(client, max, timeLimitMs), { schema }),
    close: () => client.end({ timeout: 5 }),
  };
}

/** How many callers may wait for each connection. */
const waitingPerConnection = 100;

/**
 * The same client, never given more queries at once than it has connections: postgres.js slows down for good once
 * its own queue has grown. Statements are prepared once for each connection.
 */
function bounded(client: Sql, max: number, timeLimitMs?: number): Sql {
  const limit = pLimit(max);
  // Drizzle runs a query outside a transaction as `unsafe(…)` or, at once after it, `unsafe(…).values()`.
  const unsafe = (text: string, parameters?: ParameterOrJSON<never>[]) => {
    let rowsAsArrays = false;
    const run = async () => {
      const query = client.unsafe(text, parameters, { prepare: true });
      return withinTime(rowsAsArrays ? query.values() : query, timeLimitMs);
    };
    const isBusy = limit.pendingCount >= max * waitingPerConnection;
    const rows = isBusy ? Promise.reject(new DatabaseBusyError('Too many queries are waiting.')) : limit(run);
    const values = () => {
      rowsAsArrays = true;
      return rows;
    };
    return Object.assign(rows, { values });
  };
  return new Proxy(client, {
    get: (target, name) => (name === 'unsafe' ? unsafe : Reflect.get(target, name)),
  });
}

/** PostgreSQL ends a slow statement itself; this is for a server that takes connections and never answers. */
async function withinTime<T>(query: PromiseLike<T>, limitMs: number | undefined): Promise<T> {
  if (limitMs === undefined) return query;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new DatabaseBusyError('The database did not answer in time.')),
    limitMs,
  );
  try {
    return await Promise.race([query, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Longer than any statement of a request takes, shorter than a caller waits. */
const requestTimeLimitMs = 8_000;

const poolKey = Symbol.for('scheduling-service.database');
const shared = globalThis as { [poolKey]?: Connection };

/** The process's pool. Next's bundle and our own listener are one process: they find one pool, on the global object. */
export function db(): Database {
  shared[poolKey] ??= connect(requiredUrl(), settings().DATABASE_POOL, requestTimeLimitMs);
  return shared[poolKey].db;
}

/** Closes the process's pool, if it was ever opened. */
export async function closeDatabase(): Promise<void> {
  const connection = shared[poolKey];
  delete shared[poolKey];
  await connection?.close();
}

function requiredUrl(): string {
  const url = settings().DATABASE_URL;
  if (!url) throw new Error('DATABASE_URL is not set: start the service with `npm start`, which sets it.');
  return url;
}
