import { setTimeout } from 'node:timers/promises';
import type postgres from 'postgres';
import { isConflict, isLockTimeout } from './errors.ts';
import {
  appliedMigrations,
  functionMigration,
  type Migration,
  migrationProblem,
  releaseMigration,
  SchemaError,
  tableMigrations,
} from './schema-version.ts';
import { openClient, withoutTimeouts } from './server.ts';

const OLDEST_MAJOR_VERSION = 15;
/** Held by the transaction of a migration, so that it also works behind a connection pooler. */
const MIGRATION_LOCK = 7_318_001;
/** Writers queue behind a migration that waits for a lock, so it gives up early and tries again. */
const lockTimeout = '2s';
const lockRetryMs = 1_000;
/** Granted their privileges in `roles.sql`. */
export const roleNames = { web: 'scheduling_web', operator: 'scheduling_operator' } as const;

type Options = {
  migrations?: Migration[];
  attemptsMax?: number;
  /** Whether no instance of a later release can be running, whose functions would be replaced. */
  isOnlyUser?: boolean;
};

/**
 * Migrates a database to `drizzle/` (tables), `db/functions/`, and `db/roles.sql` (privileges), all or nothing.
 * Idempotent, and safe to run from several machines concurrently.
 * @param ownerUrl of the role that owns the tables
 * @throws SchemaError when the server, its roles, or its tables do not fit, or a lock is not free for about a minute
 */
export async function migrate(
  ownerUrl: string,
  { migrations = tableMigrations(), attemptsMax = 20, isOnlyUser = false }: Options = {},
): Promise<void> {
  const client = await openClient(ownerUrl);
  try {
    await refuseOldServer(client);
    await refuseMissingRoles(client);
    for (let attempt = 1; ; attempt++) {
      try {
        await client.unsafe('BEGIN');
        await apply(client, migrations, isOnlyUser);
        await client.unsafe('COMMIT');
        return;
      } catch (error) {
        if (!isLockTimeout(error) && !isConflict(error)) throw error;
        if (attempt >= attemptsMax) throw new SchemaError(lockSentence);
        await client.unsafe('ROLLBACK');
        await setTimeout(lockRetryMs);
      }
    }
  } finally {
    // Without the timeout, it does not end when the connection was lost.
    await client.end({ timeout: 0 });
  }
}

const lockSentence =
  'Another transaction holds a lock that the migration needs, or another migration is running. Nothing was changed. End it (see pg_stat_activity), and run npm run migrate again.';

async function apply(tx: postgres.Sql, migrations: Migration[], isOnlyUser: boolean): Promise<void> {
  await tx.unsafe(`
    ${withoutTimeouts} SET LOCAL search_path = public; SET LOCAL lock_timeout = '${lockTimeout}'; SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  const [found] = await tx<{ isForeign: boolean }[]>`
    SELECT to_regclass('customers') IS NOT NULL AND to_regclass('schema_migrations') IS NULL AS "isForeign"`;
  const applied = found?.isForeign
    ? migrations.map(({ name }) => ({ name, hash: 'of a development version' }))
    : await appliedMigrations((statement) => tx.unsafe(statement));
  const problem = migrationProblem(applied, migrations, isOnlyUser);
  if (problem) throw new SchemaError(problem);
  await tx`CREATE TABLE IF NOT EXISTS schema_migrations (
    name text PRIMARY KEY, hash text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`;
  const pending = migrations.filter(({ name }) => !applied.some((one) => one.name === name));
  // A function may be created before one that it calls.
  await tx`SET LOCAL check_function_bodies = off`;
  for (const { name, hash, statements } of [...pending, functionMigration(), releaseMigration]) {
    for (const statement of statements) await tx.unsafe(statement);
    await tx`INSERT INTO schema_migrations (name, hash) VALUES (${name}, ${hash}) ON CONFLICT DO NOTHING`;
  }
}

async function refuseOldServer(client: postgres.Sql): Promise<void> {
  const [row] = await client<{ number: number; text: string }[]>`
    SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS text`;
  if (row && row.number >= OLDEST_MAJOR_VERSION * 10_000) return;
  throw new SchemaError(
    `PostgreSQL ${OLDEST_MAJOR_VERSION} or newer is needed; the server is version ${row?.text}.`,
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
  throw new SchemaError(`Roles are missing. As the server's administrator, run: ${statements.join(' ')}`);
}
