import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { settings } from '#src/settings.ts';
import { bounded, type Limits } from './pool.ts';
import * as schema from './schema.ts';

export type Database = PostgresJsDatabase<typeof schema>;
export type Connection = {
  db: Database;
  /** Whether so many callers wait that the next one would be refused. */
  isBusy: () => boolean;
  close: () => Promise<void>;
};

/**
 * A pool of its own.
 * @param url of a PostgreSQL server and database
 * @param max connections at most
 */
export function connect(url: string, max = 4, limits: Limits = {}): Connection {
  const { timeLimitMs, queriesEach = 1 } = limits;
  const client = postgres(url, {
    max,
    onnotice: () => {},
    connect_timeout: 10,
    connection: { application_name: 'scheduling', ...(timeLimitMs && { statement_timeout: timeLimitMs }) },
  });
  const { client: patient, isBusy } = bounded(client, max * queriesEach, limits);
  return {
    db: drizzle(patient, { schema }),
    isBusy,
    close: () => client.end({ timeout: 5 }),
  };
}

/** Longer than any statement of a request takes, shorter than a caller waits. */
const timeLimitMs = 8_000;

/**
 * One connection, kept busy: what is sent and answered together costs the system less than one by one, and one process
 * of PostgreSQL answers more reads than one of ours can ask for. Decision: docs/decisions/0006-reads-share-a-connection.md.
 */
const readConnections = 1;
const readsAtOnce = 64;

type Pools = { db?: Connection; reads?: Connection };
const poolsKey = Symbol.for('scheduling-service.database');
const shared = globalThis as { [poolsKey]?: Pools };

/** The process's pools. Next's bundle and our own listener are one process: they find them on the global object. */
function pool(name: keyof Pools, max: number, queriesEach: number): Connection {
  shared[poolsKey] ??= {};
  const open = shared[poolsKey];
  const found = open[name];
  if (found) return found;
  const made = connect(requiredUrl(), max, {
    timeLimitMs,
    queriesEach,
    onSilence: () => abandon(name, made),
  });
  open[name] = made;
  return made;
}

/** Its connections may hang for as long as the system believes in them: the next caller gets new ones. */
function abandon(name: keyof Pools, silent: Connection): void {
  const open = shared[poolsKey];
  if (open?.[name] !== silent) return;
  delete open[name];
  silent.close().catch(() => {});
}

export function db(): Database {
  return pool('db', settings().DATABASE_POOL, 1).db;
}

/** For the reads that every request begins with: plain ones that wait for no row's lock. */
export function reads(): Database {
  return readPool().db;
}

/** Whether a request that begins now would only be refused when it comes to its read. */
export function readsAreBusy(): boolean {
  return readPool().isBusy();
}

function readPool(): Connection {
  return pool('reads', readConnections, readsAtOnce);
}

/** Closes the process's pools, if they were ever opened. */
export async function closeDatabase(): Promise<void> {
  const open = shared[poolsKey];
  delete shared[poolsKey];
  await Promise.all([open?.db?.close(), open?.reads?.close()]);
}

function requiredUrl(): string {
  const url = settings().DATABASE_URL;
  if (!url) throw new Error('DATABASE_URL is not set: start the service with `npm start`, which sets it.');
  return url;
}
