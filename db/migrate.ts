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
/** Append-only: the application's role can only insert. */
const APPEND_ONLY = ['ledger_entries', 'audit_entries', 'payment_mode'];

/**
 * Migrates a database to `drizzle/` (tables) and `db/functions/`, and grants the application's role its privileges.
 * Idempotent, and safe to run from several instances concurrently.
 * @param ownerUrl of the role that owns the tables
 * @param appUrl of the service's role, if it differs
 * @throws Error if the server is older than PostgreSQL 15
 */
export async function migrate(ownerUrl: string, appUrl?: string): Promise<void> {
  const client = postgres(ownerUrl, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    await refuseOldServer(client);
    await client`SELECT pg_advisory_lock(${MIGRATION_LOCK})`;
    const db = drizzle(client);
    await applyMigrations(db, { migrationsFolder });
    await applyFunctions(db);
    const app = roleOf(appUrl ?? ownerUrl);
    if (app !== roleOf(ownerUrl)) await grantUse(db, app);
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

/** One file per function, in one transaction: callers see either the old functions or the new ones. */
async function applyFunctions(db: PostgresJsDatabase): Promise<void> {
  const folder = path.join(import.meta.dirname, 'functions');
  const files = (await readdir(folder)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  await db.transaction(async (tx) => {
    // A function may be created before one that it calls.
    await tx.execute(sql`SET LOCAL check_function_bodies = off`);
    for (const text of texts) await tx.execute(sql.raw(text));
  });
}

async function grantUse(db: PostgresJsDatabase, role: string): Promise<void> {
  const app = sql.identifier(role);
  await db.transaction(async (tx) => {
    await tx.execute(sql`GRANT USAGE ON SCHEMA public TO ${app}`);
    await tx.execute(sql`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${app}`);
    await tx.execute(sql`GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO ${app}`);
    await tx.execute(sql`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO ${app}`);
    for (const table of APPEND_ONLY) {
      await tx.execute(sql`REVOKE UPDATE, DELETE, TRUNCATE ON ${sql.identifier(table)} FROM ${app}`);
    }
  });
}

function roleOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}
