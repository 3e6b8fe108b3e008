import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type { Sql } from 'postgres';
import { DatabaseBusyError, isConnectionLost, isWriteRefused } from './errors.ts';
import { limitStatements, type StatementLimits } from './pool.ts';
import * as schema from './schema.ts';
import { followServer, openClient, type Server } from './server.ts';

export type Database = PostgresJsDatabase<typeof schema>;
export type Pool = {
  /** Stays valid while the pool is open, also after its connections were replaced. */
  db: Database;
  isQueueFull: () => boolean;
  /** Statements that are running, and callers that wait. */
  stats: () => { running: number; waiting: number };
  /** Runs a statement, unless all connections are in use. @throws Error when a new statement would fail */
  check: () => Promise<void>;
  close: () => Promise<void>;
};

/** For statements under way on connections that are replaced. */
const lastStatementsSeconds = 5;

/**
 * @param source a server, or the URL of one
 * @param limits with a timeout for pools that serve requests, without one for maintenance
 * @param options.isIdleWatched whether the loss of a connection that is not in use makes the server suspect, too; without it,
 * another one is opened for the next statement
 */
export function openPool(
  source: Server | string,
  limits: StatementLimits,
  { isIdleWatched = false } = {},
): Pool {
  const server = typeof source === 'string' ? followServer(source) : source;
  const { connectionsMax, statementsPerConnectionMax = 1, statementTimeoutMs, isPooled, isWriting } = limits;
  const open = () => {
    const opened: Sql = server.open({
      max: connectionsMax,
      backoff: false,
      ...(isPooled && { prepare: false, max_pipeline: 1 }),
      connection: {
        // A pooler refuses them or ignores them. The role has a timeout instead, which a start checks.
        ...(statementTimeoutMs &&
          !isPooled && { statement_timeout: statementTimeoutMs, bytea_output: 'hex' }),
      },
      // Closing one because of its age would be taken for a loss.
      ...(isIdleWatched && {
        max_lifetime: null,
        onclose: () => opened === client && server.suspect(generation),
      }),
    });
    return opened;
  };
  let generation = server.generation();
  const first = open();
  let client = first;
  /** Drizzle changes these options of the client it was created with. */
  const likeFirst = (opened: Sql): Sql => {
    Object.assign(opened.options.parsers, first.options.parsers);
    Object.assign(opened.options.serializers, first.options.serializers);
    return opened;
  };
  const current = () => {
    if (generation === server.generation()) return client;
    generation = server.generation();
    const old = client;
    client = likeFirst(open());
    old.end({ timeout: lastStatementsSeconds }).catch(() => {});
    return client;
  };
  // Not `client.begin`, which writes to the connection when it has closed: https://github.com/porsager/postgres/issues/1208
  const begin = async <T>(run: (own: Sql) => Promise<T>): Promise<T> => {
    const own = likeFirst(await openClient(server));
    try {
      // PostgreSQL completes a statement that waits for a lock, although Ctrl-C has ended the command, without this.
      await own.unsafe("begin; set local client_connection_check_interval = '100ms'");
      const result = await run(own);
      const { command } = await own.unsafe('commit');
      // PostgreSQL's response after a statement has failed.
      if (command === 'ROLLBACK')
        throw new Error('The transaction was rolled back because a statement failed.');
      return result;
    } finally {
      await own.end({ timeout: 0 });
    }
  };
  const onError = (error: unknown, failed: Sql) => {
    if (failed !== client) return;
    if (isConnectionLost(error)) server.suspect(generation);
    else if (isWriteRefused(error)) server.suspect(generation, 'read-only');
  };
  // A dead connection can hang until the operating system gives up on it. One whose commit waits is kept: PostgreSQL would not
  // notice that it was closed, and more connections would wait, until the server has none left.
  const onStall = async (silent: Sql) => {
    if (silent === client) {
      const known = generation;
      server.suspect(known, isWriting ? 'stalled commit' : undefined);
      if (isWriting && (await isFound()) && server.generation() === known) return;
    }
    silent.end({ timeout: 0 }).catch(() => {});
  };
  const isFound = async () => {
    try {
      await server.ready();
      return true;
    } catch {
      return false;
    }
  };
  const limited = limitStatements({ ready: server.ready, current, onError, begin, onStall }, limits);
  return {
    db: drizzle(limited.client, { schema }),
    isQueueFull: limited.isQueueFull,
    stats: limited.stats,
    check: async () => {
      if (limited.isQueueFull()) throw new DatabaseBusyError('Too many statements are waiting.');
      // Statements that wait for a lock say nothing about the database.
      const isFree = limited.stats().running < connectionsMax * statementsPerConnectionMax;
      if (isFree) await limited.client.unsafe('select 1');
    },
    close: async () => {
      await client.end({ timeout: 2 });
      if (server !== source) await server.close();
    },
  };
}
