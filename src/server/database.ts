import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import { openPool } from '#db/client.ts';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { isLoginRefused, isTransient } from '#db/errors.ts';
import { migrate } from '#db/migrate.ts';
import { claimPaymentMode } from '#db/payment-mode.ts';
import { refuseWrongPooler } from '#db/pooler.ts';
import { refuseOtherSchema } from '#db/schema-version.ts';
import { followServer, openClient } from '#db/server.ts';
import { withTimeout } from '#db/with-timeout.ts';
import { poolLimits } from '#src/api/pool-limits.ts';
import type { InstallationSecrets } from '#src/installation-secrets.ts';
import { syncZoneMonths } from '#src/ledger/month.ts';
import { type Settings, SettingsError } from '#src/settings.ts';
import { StartError, say } from './cli-output.ts';
import type { Shutdown } from './shutdown.ts';

/**
 * Opens and migrates the embedded database.
 * @param whileStarting other work for the time in which the server starts
 * @returns the settings that point to it, and the operator's URL for the demo
 */
export async function openDatabase(
  settings: Settings,
  secrets: InstallationSecrets,
  shutdown: Shutdown,
  whileStarting: () => Promise<unknown>,
): Promise<{ settings: Partial<Settings>; operatorUrl: string }> {
  const dataDir = path.resolve(settings.DATA_DIR);
  const opening = openEmbeddedDatabase(dataDir, 'durable', whileStarting, shutdown.signal);
  const database = await opening.catch((error: Error) => {
    throw new StartError(error.message, { cause: error });
  });
  shutdown.add('The database', database.release);
  await migrateDatabase(database.ownerUrl, { isOnlyUser: true });
  const SESSION_SECRET = settings.SESSION_SECRET ?? secrets.sessionSecret;
  return { settings: { DATABASE_URL: database.webUrl, SESSION_SECRET }, operatorUrl: database.operatorUrl };
}

const retryAfterMs = 500;
/** How long one attempt may take. A shutdown waits for it. */
const attemptMaxMs = 5_000;

/** Waits up to `DATABASE_WAIT_SECONDS` for a server that does not accept connections or writes yet; then the next step fails. */
export async function waitForDatabase(settings: Settings, signal: AbortSignal): Promise<void> {
  const { DATABASE_URL = '', DATABASE_WAIT_SECONDS } = settings;
  const deadlineMs = performance.now() + DATABASE_WAIT_SECONDS * 1_000;
  for (let isFirst = true; !signal.aborted && performance.now() < deadlineMs; isFirst = false) {
    const reason = await whyNotReady(DATABASE_URL);
    if (reason === undefined) return;
    if (isFirst) say(`  Waiting up to ${DATABASE_WAIT_SECONDS} s for the database (${reason})`);
    await setTimeout(retryAfterMs, undefined, { signal }).catch(() => {});
  }
}

/** @returns undefined also for failures that waiting does not change */
async function whyNotReady(url: string): Promise<string | undefined> {
  let client: Sql | undefined;
  try {
    client = await openClient(url, { connect_timeout: attemptMaxMs / 1_000, backoff: false });
    // A pooler accepts connections also while its database is silent, and a standby may be promoted soon.
    const [state] = await withTimeout(
      client<{ isReadOnly: boolean }[]>`
        select current_setting('transaction_read_only')::boolean as "isReadOnly"`,
      attemptMaxMs,
    );
    return state?.isReadOnly ? 'it accepts no writes' : undefined;
  } catch (error) {
    if (!isTransient(error) || isLoginRefused(error)) return undefined;
    return error instanceof Error && 'code' in error ? String(error.code) : 'no connection';
  } finally {
    await client?.end({ timeout: 1 });
  }
}

/** @throws StartError when the server is unreachable, rejects our credentials, or is too old */
export async function migrateDatabase(ownerUrl: string, { isOnlyUser = false } = {}): Promise<void> {
  await migrate(ownerUrl, { isOnlyUser }).catch((error: Error) => {
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    throw new StartError(`The database cannot be migrated: ${reason}`, { cause: error });
  });
  const { db, close } = openPool(ownerUrl, { connectionsMax: 1 });
  await syncZoneMonths(db).finally(close);
}

/**
 * @throws StartError when the database cannot be reached, or its tables are not those of this release
 * @throws SettingsError when the role may do too much, or the database holds cards of another mode
 */
export async function checkDatabase(settings: Settings): Promise<void> {
  const { DATABASE_URL = '', mode } = settings;
  const limits = poolLimits(settings).reads;
  const pool = openPool(DATABASE_URL, limits);
  const { db, close } = pool;
  try {
    await refuseWrongPooler(pool, limits);
    await refuseOtherSchema(db);
    const [role] = await db.execute<{ isPowerful: boolean }>(
      sql`select has_table_privilege('ledger_months', 'update') as "isPowerful"`,
    );
    if (role?.isPowerful) throw new SettingsError(tooPowerful);
    await claimPaymentMode(db, mode);
  } catch (error) {
    if (error instanceof SettingsError || !(error instanceof Error)) throw error;
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    throw new StartError(`The database (DATABASE_URL) cannot be used: ${reason}`, { cause: error });
  } finally {
    await close();
  }
  await checkReplica(settings);
}

/** A replica that cannot be reached is not used. @throws SettingsError when its URL leads to a pooler without the setting */
async function checkReplica(settings: Settings): Promise<void> {
  const { DATABASE_REPLICA_URL } = settings;
  if (!DATABASE_REPLICA_URL) return;
  const limits = poolLimits(settings).writes;
  const server = followServer(DATABASE_REPLICA_URL, 'standby');
  const pool = openPool(server, limits);
  try {
    await refuseWrongPooler(pool, limits, 'DATABASE_REPLICA_URL');
  } catch (error) {
    if (error instanceof SettingsError) throw error;
  } finally {
    await Promise.all([pool.close(), server.close()]);
  }
}

const tooPowerful =
  'The role in DATABASE_URL may change the ledger. Use the role scheduling_web, which may not. See docs/operations.md.';
