import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import type { ParameterOrJSON, Sql } from 'postgres';
import { traceCall } from '#src/tracing.ts';
import { DatabaseBusyError, isConflict } from './errors.ts';
import type { Server } from './server.ts';
import { withTimeout } from './with-timeout.ts';

export type StatementLimits = {
  connectionsMax: number;
  /** Pipelined statements per connection: one, unless none of them can wait for a lock. */
  statementsPerConnectionMax?: number;
  /** Absent for maintenance, which can take long. */
  statementTimeoutMs?: number;
  /** Behind a connection pooler in transaction mode: statements are neither prepared nor pipelined. */
  isPooled?: boolean;
  /** Whether statements change something, so that their commits can wait for a synchronous standby. */
  isWriting?: boolean;
  /** @returns the customer whose locks the caller's statement can wait for. Those of one customer take at most a third of the connections */
  customerId?: () => number | undefined;
};

/** The maximum queue length: what a pool serves in a fraction of a second. */
const queueMax = 500;
const sharesMax = 1_000;

type Source = {
  ready: Server['ready'];
  /** @returns the client for the next statement */
  current: () => Sql;
  onError: (error: unknown, client: Sql) => void;
  /** Runs a transaction on a connection of its own. */
  begin: <T>(run: (own: Sql) => Promise<T>) => Promise<T>;
  /** For a client that has neither finished a statement nor reported its timeout in time. */
  onStall: (silent: Sql) => void;
};

/**
 * A client that queues statements itself, because postgres.js becomes permanently slower once its own queue has grown.
 * Decision: docs/decisions/0013-postgres-js.md. Statements are prepared once per connection.
 */
export function limitStatements(
  { ready, current, onError, begin, onStall }: Source,
  {
    connectionsMax,
    statementsPerConnectionMax = 1,
    statementTimeoutMs,
    isPooled = false,
    customerId = () => undefined,
  }: StatementLimits,
): { client: Sql; isQueueFull: () => boolean; stats: () => { running: number; waiting: number } } {
  const limit = pLimit(connectionsMax * statementsPerConnectionMax);
  const isFull = ({ pendingCount }: LimitFunction) => pendingCount >= queueMax;
  const isQueueFull = () => isFull(limit);
  const shareMax = Math.max(1, Math.floor(connectionsMax / 3));
  const shares = new LRUCache<number, LimitFunction>({ max: sharesMax, memoMethod: () => pLimit(shareMax) });
  let waiting = 0;
  const stats = () => ({ running: limit.activeCount, waiting });
  const watches = new WeakMap<Sql, Watch>();
  const watchOf = (client: Sql): Watch => {
    const watch = watches.get(client) ?? watchStall(statementTimeoutMs, () => onStall(client));
    // PostgreSQL runs the statements of one connection in turn, and a pooler those of several, so they share a timer.
    if (statementsPerConnectionMax > 1 || isPooled) watches.set(client, watch);
    return watch;
  };
  // Drizzle runs a query outside a transaction as `unsafe(…)` or `unsafe(…).values()` in the same tick.
  const unsafe = (text: string, parameters?: ParameterOrJSON<never>[]) => {
    let rowsAsArrays = false;
    const customer = customerId();
    const share = customer === undefined ? undefined : shares.memo(customer);
    const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
      waiting += 1;
      const start = () => {
        waiting -= 1;
        return run();
      };
      return share ? share(() => limit(start)) : limit(start);
    };
    const send = async () => {
      const searching = ready();
      if (searching) await searching;
      const client = current();
      try {
        return await watchOf(client)(async () => {
          const query = client.unsafe(text, parameters, { prepare: true });
          const result = await (rowsAsArrays ? query.values() : query);
          // Empty items for rows of a failed statement before it (postgres.js issue 1181). SHOW has no count.
          const count: number | null = result.count;
          if (count !== null) result.splice(0, result.length - count);
          return result;
        });
      } catch (error) {
        onError(error, client);
        throw error;
      }
    };
    const rows = (share ? [share, limit] : [limit]).some(isFull)
      ? Promise.reject(new DatabaseBusyError('Too many statements are waiting.'))
      : traceCall('postgresql', { 'db.system.name': 'postgresql', 'db.query.text': text }, () => {
          if (statementTimeoutMs === undefined) return inTurn(() => retryConflict(send, 3));
          let late: DatabaseBusyError | undefined;
          const sent = inTurn(() =>
            retryConflict(async () => {
              // It timed out in the queue, or during the first attempt.
              if (late) throw late;
              return send();
            }, 1),
          );
          return withTimeout(sent, statementTimeoutMs + graceMs, () => {
            late = new DatabaseBusyError('The database did not respond in time.');
            return late;
          });
        });
    const values = () => {
      rowsAsArrays = true;
      return rows;
    };
    return Object.assign(rows, { values });
  };
  const client = new Proxy(current(), {
    get: (_, name) => {
      if (name === 'unsafe') return unsafe;
      if (name === 'begin') {
        if (statementTimeoutMs === undefined) return begin;
        throw new Error(transactionRefusal);
      }
      return Reflect.get(current(), name);
    },
  });
  return { client, isQueueFull, stats };
}

/** Decision: docs/decisions/0013-postgres-js.md. */
const transactionRefusal = 'Use one statement or an SQL function instead of a transaction on a shared pool.';

type Watch = <T>(statement: () => Promise<T>) => Promise<T>;

/** PostgreSQL cancels a slow statement itself at the timeout; this is the time for its response to arrive. */
const graceMs = 500;

/**
 * Calls `onStall` each time that none of the sent statements has ended in time. PostgreSQL runs the statements of a connection one
 * after the other, so the timer restarts with each that ends.
 */
function watchStall(timeoutMs: number | undefined, onStall: () => void): Watch {
  let sent = 0;
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    timer = setTimeout(() => {
      onStall();
      start();
    }, Number(timeoutMs) + graceMs);
  };
  return async (statement) => {
    if (timeoutMs === undefined) return statement();
    if (sent++ === 0) start();
    try {
      return await statement();
    } finally {
      if (--sent === 0) clearTimeout(timer);
      else timer?.refresh();
    }
  };
}

/**
 * Safe, because a single statement is a transaction and leaves nothing behind when it fails.
 * @param retries several for maintenance, whose long statements can deadlock again
 */
async function retryConflict<T>(send: () => Promise<T>, retries: number): Promise<T> {
  for (let left = retries; ; left -= 1) {
    try {
      return await send();
    } catch (error) {
      if (left === 0 || !isConflict(error)) throw error;
    }
  }
}
