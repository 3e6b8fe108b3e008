import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import postgres from 'postgres';
import { migrate, roleNames } from '#db/migrate.ts';
import { readDatabaseUrl } from '#src/database-url.ts';
import { checkout } from '#tools/checkout.ts';

type CitusDatabase = {
  ownerUrl: string;
  webUrl: string;
  operatorUrl: string;
  /** Drops the database. */
  release: () => Promise<void>;
};

/** @returns why tests cannot run on this server, as a sentence. Nothing is changed there */
export async function citusProblem(url: string): Promise<string | undefined> {
  const address = readDatabaseUrl(url);
  if (typeof address === 'string') return `The URL ${address}.`;
  const client = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    const [found] = await client<{ hasCitus: boolean; isSuperuser: boolean }[]>`
      select current_setting('citus.shard_count', true) is not null as "hasCitus",
        current_setting('is_superuser')::boolean as "isSuperuser"`;
    if (!found?.isSuperuser)
      return 'The role of the URL is not a superuser, as Citus needs for its extension.';
    if (!found.hasCitus) return 'The server has no Citus: its shared_preload_libraries do not name it.';
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return `The server cannot be used: ${message || code}.`;
  } finally {
    await client.end({ timeout: 1 });
  }
}

/**
 * Makes a migrated database whose tables are distributed, on a Citus coordinator. It accepts no connections, so that it can
 * be a template. Roles that are missing are made, with the URL's password, and stay.
 * @param url of a superuser
 */
export async function makeCitusDatabase(url: string): Promise<CitusDatabase> {
  const name = `scheduling_${randomBytes(6).toString('hex')}`;
  const as = (role?: string) => {
    const address = new URL(url);
    if (role) address.username = role;
    address.pathname = `/${name}`;
    return address.href;
  };
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  const release = async () => {
    await admin.unsafe(`drop database if exists ${name} with (force)`);
    await admin.end();
  };
  try {
    const missing = await admin<{ statement: string }[]>`
      select format('create role %I login password %L', role, ${decodeURIComponent(new URL(url).password)}::text) as statement
      from unnest(${Object.values(roleNames)}::text[]) as role where role not in (select rolname from pg_roles)`;
    for (const { statement } of missing) await admin.unsafe(statement);
    await admin.unsafe(`create database ${name}`);
    await distribute(as());
    // Citus keeps a process of its own in each database, which a template must not have.
    await admin.unsafe(`alter database ${name} allow_connections false`);
    await admin`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${name}`;
  } catch (error) {
    await release();
    throw error;
  }
  return { ownerUrl: as(), webUrl: as(roleNames.web), operatorUrl: as(roleNames.operator), release };
}

async function distribute(ownerUrl: string): Promise<void> {
  await migrate(ownerUrl);
  const owner = postgres(ownerUrl, { max: 1, onnotice: () => {} });
  try {
    await owner.unsafe(await readFile(path.join(checkout, 'db', 'citus.sql'), 'utf8'));
  } finally {
    await owner.end();
  }
  // Citus makes views again without their triggers and privileges.
  await migrate(ownerUrl);
}
