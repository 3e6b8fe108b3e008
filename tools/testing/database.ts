import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, expect, inject } from 'vitest';
import { type Database, openPool } from '#db/client.ts';
import { roleNames } from '#db/migrate.ts';
import { closeToConnections, isCitus } from './citus.ts';
import { inDatabase } from './connections.ts';
import { brokenRules } from './distribution-rules.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URLs of the template. */
    templateUrls: Record<'webUrl' | 'operatorUrl' | 'ownerUrl', string> & { workerUrls: string[] };
  }
}

export type TestDatabase = {
  /** With the operator's role. */
  db: Database;
  /** With the service's role, as `services().db`. */
  web: Database;
  /** With the role that owns the tables: for set-up that no other role may do. */
  owner: Database;
  /** Like `owner`, in plain SQL. */
  sql: postgres.Sql;
  /** Of the service's role. */
  url: string;
  operatorUrl: string;
  ownerUrl: string;
};

let current: Promise<TestDatabase> | undefined;

/** @returns the test file's own migrated database, which is dropped after its last test */
export function testDatabase(): Promise<TestDatabase> {
  current ??= cloneTemplate();
  return current;
}

async function cloneTemplate(): Promise<TestDatabase> {
  const template = inject('templateUrls');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const [url, operatorUrl, ownerUrl] = (['webUrl', 'operatorUrl', 'ownerUrl'] as const).map((role) =>
    inDatabase(template[role], name),
  ) as [string, string, string];
  const admins = [template.ownerUrl, ...template.workerUrls].map((node) =>
    postgres(inDatabase(node, 'postgres'), { max: 1, onnotice: () => {} }),
  );
  const onNodes = (statement: string) => Promise.all(admins.map((admin) => admin.unsafe(statement)));
  // The default, WAL_LOG, reads the template block by block, which takes longer on a new connection.
  await onNodes(
    `CREATE DATABASE ${name} TEMPLATE ${new URL(template.ownerUrl).pathname.slice(1)} STRATEGY FILE_COPY`,
  );
  const pools = [operatorUrl, url, ownerUrl].map((role) => openPool(role, { connectionsMax: 2 }));
  const [db, web, owner] = pools.map((pool) => pool.db) as [Database, Database, Database];
  const sql = postgres(ownerUrl, { max: 4, onnotice: () => {} });
  afterAll(async () => {
    // Other files in the same process get their own.
    current = undefined;
    await Promise.all([...pools.map((pool) => pool.close()), sql.end({ timeout: 5 })]);
    try {
      if (isCitus) return;
      expect(await refusedByCitus(admins[0] as postgres.Sql, name), 'statements that Citus refuses').toEqual(
        [],
      );
    } finally {
      // Citus can take longer to leave a database than DROP DATABASE waits.
      if (isCitus) await Promise.all(admins.map((admin) => closeToConnections(admin, name)));
      await onNodes(`DROP DATABASE ${name} WITH (FORCE)`);
      await Promise.all(admins.map((admin) => admin.end()));
    }
  });
  return { db, web, owner, sql, url, operatorUrl, ownerUrl };
}

/**
 * @returns the statements that the service and the operator issued in a database, also those in functions, that break a rule
 * @throws Error when PostgreSQL did not keep all statements
 */
export async function refusedByCitus(admin: postgres.Sql, name: string): Promise<string[]> {
  const statements = await admin<{ query: string | null }[]>`
    select distinct query from pg_stat_statements
    where dbid = (select oid from pg_database where datname = ${name})
      and userid in (select oid from pg_roles where rolname in ${admin(Object.values(roleNames))})`;
  const [info] = await admin<
    { dropped: number }[]
  >`select dealloc::int as dropped from pg_stat_statements_info`;
  if (info?.dropped !== 0 || statements.some(({ query }) => query === null))
    throw new Error('PostgreSQL did not keep all statements. Raise pg_stat_statements.max.');
  return statements.flatMap(({ query }) => brokenRules(query ?? '').map((rule) => `${rule}: ${query}`));
}

/** @returns the process IDs of the test database's connections that wait for a lock; on Citus, also for one of a worker */
export async function waitingForLock(sql: postgres.Sql): Promise<number[]> {
  const waiting = isCitus
    ? // A global ID has the node and the process: https://docs.citusdata.com/en/stable/develop/api_metadata.html
      sql<{ pid: number }[]>`select distinct (waiting_gpid % 10000000000)::int as pid from citus_lock_waits`
    : sql<{ pid: number }[]>`
        select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  return (await waiting).map(({ pid }) => pid);
}
