import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres, { type Sql } from 'postgres';
import { limitStatements, type StatementLimits } from './pool.ts';
import * as schema from './schema.ts';

export type Database = PostgresJsDatabase<typeof schema>;
export type Pool = {
  /** Stays valid while the pool is open, also after its connections were replaced. */
  db: Database;
  isQueueFull: () => boolean;
  /** Statements that are running, and callers that wait. */
  stats: () => { running: number; waiting: number };
  close: () => Promise<void>;
};

/**
 * @param url of a PostgreSQL server and database
 * @param limits with a timeout for pools that serve requests, without one for maintenance
 */
export function openPool(url: string, limits: StatementLimits = {}): Pool {
  const { connectionsMax = 4, statementTimeoutMs } = limits;
  const open = () =>
    postgres(url, {
      max: connectionsMax,
      onnotice: () => {},
      connect_timeout: 10,
      // Seconds between attempts to connect. The default grows to 20 while the database is down.
      backoff: () => 1,
      // Drizzle parses arrays itself, and postgres.js does not catch it when a connection breaks while it asks for their types.
      fetch_types: false,
      connection: {
        application_name: 'scheduling',
        ...(statementTimeoutMs && { statement_timeout: statementTimeoutMs }),
      },
    });
  let current = open();
  // A dead connection can hang until the operating system gives up on it.
  const replace = (silent: Sql) => {
    if (silent !== current) return;
    current = open();
    // Drizzle changes these options of the client it was created with.
    Object.assign(current.options.parsers, silent.options.parsers);
    Object.assign(current.options.serializers, silent.options.serializers);
    silent.end({ timeout: 5 }).catch(() => {});
  };
  const { client, isQueueFull, stats } = limitStatements(() => current, replace, limits);
  return {
    db: drizzle(client, { schema }),
    isQueueFull,
    stats,
    close: () => current.end({ timeout: 2 }),
  };
}
