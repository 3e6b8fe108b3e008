import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import pLimit, { type LimitFunction } from 'p-limit';
import postgres, { type ParameterOrJSON, type Sql } from 'postgres';
import { settings } from '#settings.ts';
import * as schema from './schema/index.ts';

export type Database = PostgresJsDatabase<typeof schema>;
export type Connection = {
  db: Database;
  /** Whether so many callers wait that the next one would be refused. */
  isBusy: () => boolean;
  close: () => Promise<void>;
};

/** More callers wait for the database than it could serve in a reasonable time, or it has not answered in that time. */
export class DatabaseBusyError extends Error {
  override name = 'DatabaseBusyError';
  /** What it is known by: Next's bundle has a class of its own, and what runs a query wraps what went wrong. */
  readonly code = 'DATABASE_BUSY';
}

/**
 * A pool of its own.
 * @param url of a PostgreSQL server and database
 * @param max connections at most
 * @param timeLimitMs after which a query is given up; none for maintenance, which may take long
 * @param queriesEach that a connection is sent before the first is answered; one, unless none of them can wait for a lock
 */
export function connect(url: string, max = 4, timeLimitMs?: number, queriesEach = 1): Connection {
  const client = postgres(url, {
    max,
    onnotice: () => {},
    connect_timeout: 10,
    connection: { application_name: 'scheduling', ...(timeLimitMs && { statement_timeout: timeLimitMs }) },
  });
  const limit = pLimit(max * queriesEach);
  const isBusy = () => limit.pendingCount >= waitingMost;
  return {
    db: drizzle(bounded(client, limit, isBusy, timeLimitMs), { schema }),
    isBusy,
    close: () => client.end({ timeout: 5 }),
  };
}

/** How many callers may wait for a pool: what it answers in a fraction of a second. */
const waitingMost = 500;

/**
 * The same client, never given more queries at once than its connections take on: postgres.js slows down for good
 * once its own queue has grown. Statements are prepared once for each connection.
 */
function bounded(client: Sql, limit: LimitFunction, isBusy: () => boolean, timeLimitMs?: number): Sql {
  // Drizzle runs a query outside a transaction as `unsafe(…)` or, at once after it, `unsafe(…).values()`.
  const unsafe = (text: string, parameters?: ParameterOrJSON<never>[]) => {
    let rowsAsArrays = false;
    const run = async () => {
      const query = client.unsafe(text, parameters, { prepare: true });
      return withinTime(rowsAsArrays ? query.values() : query, timeLimitMs);
    };
    const rows = isBusy()
      ? Promise.reject(new DatabaseBusyError('Too many queries are waiting.'))
      : limit(run);
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

/**
 * One connection, kept busy: what is sent and answered together costs the system less than one by one, and one process
 * of PostgreSQL answers more reads than one of ours can ask for. Decision: docs/decisions/reads-share-a-connection.md.
 */
const readConnections = 1;
const readsAtOnce = 64;

type Pools = { db?: Connection; reads?: Connection };
const poolsKey = Symbol.for('scheduling-service.database');
const shared = globalThis as { [poolsKey]?: Pools };

/** The process's pools. Next's bundle and our own listener are one process: they find them on the global object. */
function pools(): Pools {
  shared[poolsKey] ??= {};
  return shared[poolsKey];
}

export function db(): Database {
  const open = pools();
  open.db ??= connect(requiredUrl(), settings().DATABASE_POOL, requestTimeLimitMs);
  return open.db.db;
}

/** For the reads that every request begins with: plain ones that never wait for a lock. */
export function reads(): Database {
  return readPool().db;
}

/** Whether a request that begins now would only be refused when it comes to its read. */
export function readsAreBusy(): boolean {
  return readPool().isBusy();
}

function readPool(): Connection {
  const open = pools();
  open.reads ??= connect(requiredUrl(), readConnections, requestTimeLimitMs, readsAtOnce);
  return open.reads;
}

/** Closes the process's pools, if they were ever opened. */
export async function closeDatabase(): Promise<void> {
  const open = pools();
  delete shared[poolsKey];
  await Promise.all([open.db?.close(), open.reads?.close()]);
}

function requiredUrl(): string {
  const url = settings().DATABASE_URL;
  if (!url) throw new Error('DATABASE_URL is not set: start the service with `npm start`, which sets it.');
  return url;
}
