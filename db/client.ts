import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { settings } from '#settings.ts';
import * as schema from './schema/index.ts';

export type Database = PostgresJsDatabase<typeof schema>;
export type Connection = { db: Database; close: () => Promise<void> };

/**
 * A pool of its own.
 * @param url of a PostgreSQL server and database
 * @param max connections at most
 */
export function connect(url: string, max = 4): Connection {
  const client = postgres(url, { max, onnotice: () => {}, connect_timeout: 10, connection: { application_name: 'scheduling' } });
  return { db: drizzle(client, { schema }), close: () => client.end({ timeout: 5 }) };
}

const poolKey = Symbol.for('scheduling-service.database');
const shared = globalThis as { [poolKey]?: Connection };

/** The process's pool. Next's bundle and our own listener are one process: they find one pool, on the global object. */
export function db(): Database {
  shared[poolKey] ??= connect(requiredUrl(), settings().DATABASE_POOL);
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
