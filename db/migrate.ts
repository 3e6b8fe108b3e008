import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';

const OLDEST_MAJOR_VERSION = 15;
export const migrationsFolder = path.join(import.meta.dirname, '..', 'drizzle');
/** The advisory lock that serializes instances that start together. */
const MIGRATION_LOCK = 7_318_001;
/** Granted their privileges in `roles.sql`. */
export const roleNames = { web: 'scheduling_web', operator: 'scheduling_operator' } as const;

/**
 * Migrates a database to `drizzle/` (tables), `db/functions/`, and `db/roles.sql` (privileges). Idempotent, and safe to
 * run from several instances concurrently.
 * @param ownerUrl of the role that owns the tables
 * @throws Error if the server is older than PostgreSQL 15, or a role is missing
 */
export async function migrate(ownerUrl: string): Promise<void> {
  const client = postgres(ownerUrl, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    await refuseOldServer(client);
    await refuseMissingRoles(client);
    await client`SELECT pg_advisory_lock(${MIGRATION_LOCK})`;
    const db = drizzle(client);
    await applyMigrations(db, { migrationsFolder });
    await applyFunctionsAndRoles(db);
  } finally {
    // Closing the connection releases the lock.
    await client.end();
  }
}

async function refuseOldServer(client: postgres.Sql): Promise<void> {
  const [row] = await client<{ number: number; text: string }[]>`
    SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS text`;
  if (row && row.number >= OLDEST_MAJOR_VERSION * 10_000) return;
  throw new Error(
    `PostgreSQL ${OLDEST_MAJOR_VERSION} or newer is needed; DATABASE_URL leads to version ${row?.text}.`,
  );
}

async function refuseMissingRoles(client: postgres.Sql): Promise<void> {
  const names = Object.values(roleNames);
  const found = await client<
    { name: string }[]
  >`SELECT rolname AS name FROM pg_roles WHERE rolname IN ${client(names)}`;
  const missing = names.filter((name) => !found.some((role) => role.name === name));
  if (missing.length === 0) return;
  const statements = missing.map((name) => `CREATE ROLE ${name} LOGIN PASSWORD '…';`);
  throw new Error(`Roles are missing. As the server's administrator, run: ${statements.join(' ')}`);
}

/** In one transaction: callers see either the old functions and privileges or the new ones. */
async function applyFunctionsAndRoles(db: PostgresJsDatabase): Promise<void> {
  const folder = path.join(import.meta.dirname, 'functions');
  const files = (await readdir(folder)).toSorted().map((file) => path.join(folder, file));
  const texts = await Promise.all(
    [...files, path.join(import.meta.dirname, 'roles.sql')].map((file) => readFile(file, 'utf8')),
  );
  await db.transaction(async (tx) => {
    // A function may be created before one that it calls.
    await tx.execute(sql`SET LOCAL check_function_bodies = off`);
    for (const text of texts) await tx.execute(sql.raw(text));
  });
}
