import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Column, type SQL, sql } from 'drizzle-orm';
import type { Database } from './client.ts';
import { followServer, type Server, withoutTimeouts } from './server.ts';

export const instanceLockName = 'scheduling instance lock';
const lockClass = 7_348_150;
/** A condition on rows of `pg_locks`: the locks of processes that use this database. */
export const instanceLocks = `locktype = 'advisory' and classid = ${lockClass}
  and database = (select oid from pg_database where datname = current_database())`;
/** Whether a process uses the database that holds such a lock. */
export async function isServed(db: Database): Promise<boolean> {
  const locks = await db.execute(sql.raw(`select from pg_locks where ${instanceLocks} limit 1`));
  return locks.length > 0;
}

/** A statement for a transaction that writes only later: until it ends, the database counts as used. No instance has the ID 0. */
export const markDatabaseUsed = `select pg_advisory_xact_lock_shared(${lockClass}, 0);`;
const retryMs = 1_000;

/**
 * No timeout must end the transaction. The other settings have PostgreSQL notice within 5 seconds that the instance's host is
 * gone.
 */
const transactionSettings = `${withoutTimeouts}
  set local tcp_keepalives_idle = 2;
  set local tcp_keepalives_interval = 1;
  set local tcp_keepalives_count = 3;
  set local tcp_user_timeout = 5000;`;

export type InstanceLock = {
  /**
   * Identifies this process as the owner of leased rows; null while PostgreSQL could not tell that it runs. It changes
   * when the lock was lost, so that rows leased before, whose requests may have been cut off, are free.
   */
  instanceId: () => number | null;
  close: () => Promise<void>;
};

/**
 * Holds an advisory lock on a random ID as long as the process runs, so that rows that it leased are free when it dies.
 * Decision: docs/decisions/0021-instance-lock.md.
 */
export function holdInstanceLock(source: Server | string): InstanceLock {
  const server = typeof source === 'string' ? followServer(source) : source;
  let held: { id: number; generation: number } | undefined;
  let isClosed = false;
  let end = async () => {};
  const hold = async () => {
    const { promise: lost, resolve: onclose } = Promise.withResolvers<void>();
    await server.ready();
    const generation = server.generation();
    // Another server does not know the lock.
    const watch = setInterval(() => {
      if (server.generation() !== generation) onclose();
    }, retryMs).unref();
    const client = server.open({
      max: 1,
      max_lifetime: null,
      // Seconds until the operating system asks whether the server still has the connection.
      keep_alive: 2,
      backoff: false,
      onclose: () => onclose(),
      connection: { application_name: instanceLockName },
    });
    end = () => client.end({ timeout: 1 });
    // Not `client.begin`, which writes to the connection when it has closed: https://github.com/porsager/postgres/issues/1208
    const next = randomInt(1, 2 ** 31);
    try {
      const taken = client.unsafe(`
        begin isolation level read committed read only; ${transactionSettings}
        select pg_advisory_xact_lock(${lockClass}, ${next})`);
      await Promise.race([taken, lost]);
      if (isClosed || server.generation() !== generation) return;
      held = { id: next, generation };
      await lost;
    } finally {
      clearInterval(watch);
      client.end({ timeout: 0 }).catch(() => {});
    }
  };
  const run = async () => {
    while (!isClosed) {
      await hold().catch(() => {});
      held = undefined;
      if (!isClosed) await setTimeout(retryMs, undefined, { ref: false });
    }
  };
  void run();
  return {
    instanceId: () => (held && held.generation === server.generation() ? held.id : null),
    close: async () => {
      isClosed = true;
      await end();
      if (server !== source) await server.close();
    },
  };
}

/**
 * Of the instances, those that have died. IDs are not used again, so this stays true. Their locks are on the server that
 * instances connect to, so a condition on a distributed row could not see them.
 */
export async function findDeadInstances(db: Database, instanceIds: (number | null)[]): Promise<number[]> {
  const ids = instanceIds.filter((id) => id !== null);
  if (ids.length === 0) return [];
  const rows = await db.execute<{ id: number }>(sql`
    select id from unnest(${`{${ids.join()}}`}::text::integer[]) id
    where pg_try_advisory_xact_lock_shared(${sql.raw(String(lockClass))}, id)`);
  return rows.map(({ id }) => id);
}

/** Whether the instance that leased a row has died. A row without an owner is free only when its lease is over. */
export function isInstanceDead(owner: Column): SQL {
  return sql`pg_try_advisory_xact_lock_shared(${sql.raw(String(lockClass))}, ${owner})`;
}
