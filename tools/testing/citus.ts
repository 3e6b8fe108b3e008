import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type postgres from 'postgres';
import { migrate, roleNames } from '#db/migrate.ts';
import { readDatabaseUrl } from '#src/database-url.ts';
import { checkout } from '#tools/checkout.ts';
import { inDatabase, withClient, withParts } from './connections.ts';

export const isCitus = Boolean(process.env.CITUS_URL);

/** What Citus does differently: see docs/scale.md. Whole files are in vitest.config.ts. */
const differences = {
  'row locks': 'Citus locks a whole reference table where PostgreSQL locks a row.',
  'empty schema': 'A database whose tables were dropped has to be distributed again.',
  policies: 'Their functions cannot read other tables on a worker.',
  'refused changes': 'Citus refuses MERGE itself, and does not run a change whose condition is false.',
} as const;

/** @param add adds tests that need plain PostgreSQL. The others run on Citus too, by `npm run test:citus` */
export function onPostgres(_difference: keyof typeof differences, add: () => void): void {
  if (!isCitus) add();
}

type CitusDatabase = {
  ownerUrl: string;
  webUrl: string;
  operatorUrl: string;
  /** Of the database on each worker. */
  workerUrls: string[];
  /** Drops the database. */
  release: () => Promise<void>;
};

/** @returns why tests cannot run on this server, as a sentence. Nothing is changed there */
export async function citusProblem(url: string): Promise<string | undefined> {
  const address = readDatabaseUrl(url);
  if (typeof address === 'string') return `The URL ${address}.`;
  const ask = (client: postgres.Sql) => client<{ hasCitus: boolean; isSuperuser: boolean }[]>`
    select current_setting('citus.shard_count', true) is not null as "hasCitus",
      current_setting('is_superuser')::boolean as "isSuperuser"`;
  try {
    const [found] = await withClient(url, ask, { connect: 5, end: 1 });
    if (!found?.isSuperuser)
      return 'The role of the URL is not a superuser, as Citus needs for its extension.';
    if (!found.hasCitus) return 'The server has no Citus: its shared_preload_libraries do not name it.';
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return `The server cannot be used: ${message || code}.`;
  }
}

/**
 * Makes a migrated database whose tables are distributed, on a Citus coordinator and the workers that the URL's database
 * knows. It accepts no connections, so that it can be a template. Roles that are missing are made, with the URL's password,
 * and stay.
 * @param url of a superuser
 */
export async function makeCitusDatabase(url: string): Promise<CitusDatabase> {
  const name = `scheduling_${randomBytes(6).toString('hex')}`;
  const nodes = [url, ...(await findWorkers(url))];
  const onNodes = (statements: (admin: postgres.Sql, node: string) => Promise<unknown>) =>
    Promise.all(nodes.map((node) => withClient(node, (admin) => statements(admin, node))));
  const release = async () => {
    await onNodes((admin) => admin.unsafe(`drop database if exists ${name} with (force)`));
  };
  try {
    await onNodes(async (admin, node) => {
      await createRoles(admin, decodeURIComponent(new URL(url).password));
      await admin.unsafe(`create database ${name}`);
      if (node !== url)
        await withClient(inDatabase(node, name), (own) => own.unsafe('create extension citus'));
    });
    await distribute(nodes.map((node) => inDatabase(node, name)));
    // A template must not have connections.
    await onNodes((admin) => closeToConnections(admin, name));
  } catch (error) {
    await release();
    throw error;
  }
  const [ownerUrl = '', ...workerUrls] = nodes.map((node) => inDatabase(node, name));
  const as = (role: string) => withParts(ownerUrl, { username: role });
  return { ownerUrl, webUrl: as(roleNames.web), operatorUrl: as(roleNames.operator), workerUrls, release };
}

/** Ends the connections to a database, also of the processes that Citus keeps in each, and refuses later ones. */
export async function closeToConnections(admin: postgres.Sql, name: string): Promise<void> {
  await admin.unsafe(`alter database ${name} allow_connections false`);
  await admin`select pg_terminate_backend(pid, 30000) from pg_stat_activity where datname = ${name}`;
}

/** @returns their URLs; none when the coordinator is the only node */
async function findWorkers(url: string): Promise<string[]> {
  return withClient(url, async (client) => {
    const [found] = await client`select from pg_extension where extname = 'citus'`;
    if (!found) return [];
    const workers = await client<{ host: string; port: string }[]>`
      select nodename as host, nodeport::text as port from pg_dist_node where groupid <> 0 order by 1, 2`;
    return workers.map(({ host: hostname, port }) => withParts(url, { hostname, port }));
  });
}

async function createRoles(admin: postgres.Sql, password: string): Promise<void> {
  const missing = await admin<{ statement: string }[]>`
    select format('create role %I login password %L', role, ${password}::text) as statement
    from unnest(${Object.values(roleNames)}::text[]) as role where role not in (select rolname from pg_roles)`;
  // On this node only, because it is made on each.
  await admin.unsafe('set citus.enable_create_role_propagation = off');
  for (const { statement } of missing) await admin.unsafe(statement);
}

async function distribute([ownerUrl = '', ...workerUrls]: string[]): Promise<void> {
  await migrate(ownerUrl);
  await withClient(ownerUrl, async (owner) => {
    await owner.unsafe('create extension citus');
    const nodeOf = (url: string) => [new URL(url).hostname, Number(new URL(url).port || 5432)] as const;
    if (workerUrls.length > 0) {
      const [host, port] = nodeOf(ownerUrl);
      await owner`select citus_set_coordinator_host(${host}, ${port})`;
    }
    for (const [host, port] of workerUrls.map(nodeOf)) await owner`select citus_add_node(${host}, ${port})`;
    await owner.unsafe(await readFile(path.join(checkout, 'db', 'citus.sql'), 'utf8'));
  });
  // Citus makes views again without their triggers and privileges.
  await migrate(ownerUrl);
}
