import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { openPool } from '#db/client.ts';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { isServed } from '#db/instance-lock.ts';
import { migrate } from '#db/migrate.ts';
import { findPaymentMode, refuseOtherMode } from '#db/payment-mode.ts';
import { refuseOtherSchema, SchemaError } from '#db/schema-version.ts';
import { connectMaxMs } from '#db/server.ts';
import { withTimeout } from '#db/with-timeout.ts';
import { type Context, withOrigin } from '#src/audit.ts';
import { loadEnvFile } from '#src/env-file.ts';
import { DomainError } from '#src/errors.ts';
import { installationSecrets, sandboxSettings } from '#src/installation-secrets.ts';
import type { CardProvider } from '#src/payments/provider.ts';
import {
  isLiveKeySentElsewhere,
  parseSettings,
  readVariables,
  type Settings,
  SettingsError,
  sentElsewhereProblem,
} from '#src/settings.ts';
import { escapeControlChars } from '#src/text.ts';
import type { Mode } from '#src/tokens.ts';
import { printError } from './output.ts';

export type CommandContext = Context & {
  /** Of the operator's role, for commands that open connections of their own. */
  url: string;
  mode: Mode;
  /** For commands that call the payment provider. @throws SettingsError without its key */
  openProvider: () => Promise<CardProvider>;
};

const checkout = path.join(import.meta.dirname, '..', '..');

/**
 * Runs a command that reads or writes whole tables, with the role that owns them: that of DATABASE_OWNER_URL, or of the
 * embedded database, which is started if it is not running.
 */
export async function withOwner<Result>(run: (ownerUrl: string) => Promise<Result>): Promise<Result> {
  const { DATABASE_OWNER_URL, DATABASE_URL, DATA_DIR } = readOperatorSettings();
  if (DATABASE_OWNER_URL) return run(DATABASE_OWNER_URL);
  if (DATABASE_URL) {
    throw new SettingsError(
      'This command copies whole tables. Set DATABASE_OWNER_URL to a URL whose role owns them.',
    );
  }
  const { ownerUrl, release } = await openEmbedded(DATA_DIR);
  return run(ownerUrl).finally(release);
}

/** @throws SettingsError */
export function auditActorOf(actor: string | undefined): string {
  const name = actor ?? systemUsername();
  if (name.trim() === '') throw new SettingsError('The audit needs your name. Pass it as --actor.');
  const auditActor = `operator:${name}`;
  if (escapeControlChars(auditActor) === auditActor) return auditActor;
  throw new SettingsError('--actor contains invisible or control characters. Remove them.');
}

/** @returns '' for a user without a name, which a container can have */
function systemUsername(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}

/**
 * Runs a command on the database in DATABASE_OPERATOR_URL, or else on the embedded one, which is started if it is not
 * running, and migrated if it is older.
 * @param actor recorded in the audit log; the system's user by default
 */
export async function withDatabase<Result>(
  actor: string | undefined,
  run: (context: CommandContext) => Promise<Result>,
): Promise<Result> {
  const settings = readOperatorSettings();
  const auditActor = auditActorOf(actor);
  const { url, ownerUrl, release } = await openOperatorDatabase(settings);
  const { db, close } = openPool(url, { connectionsMax: 1, isPooled: true });
  try {
    // Otherwise, PostgreSQL completes a statement that waits for a lock, although Ctrl-C has ended the command.
    await withTimeout(db.execute(sql`set client_connection_check_interval = '100ms'`), connectMaxMs);
    await refuseOtherSchema(db).catch(async (error: unknown) => {
      if (!ownerUrl || !(error instanceof SchemaError)) throw error;
      if (await isServed(db)) throw new DomainError('refused', otherRelease);
      await migrate(ownerUrl, { isOnlyUser: true });
    });
    const stored = await findPaymentMode(db);
    const mode = (stored ?? settings.mode) === 'live' ? 'live' : 'test';
    const openProvider = async () => {
      refuseOtherMode(stored, settings.mode);
      return providerOf(settings);
    };
    const context: CommandContext = { db, actor: auditActor, url, mode, openProvider };
    return await withOrigin({ channel: 'cli' }, () => run(context));
  } finally {
    await close();
    await release();
  }
}

const otherRelease =
  'The service of an earlier release is running on the database, which this command would migrate. Stop it, or use its commands.';

async function openOperatorDatabase({ DATABASE_OPERATOR_URL: url, DATABASE_URL, DATA_DIR }: Settings) {
  if (url) return { url, ownerUrl: undefined, release: async () => {} };
  if (DATABASE_URL) {
    throw new SettingsError(
      'Set DATABASE_OPERATOR_URL to the URL of the database with the role scheduling_operator, because the role in DATABASE_URL may not change customers or the ledger.',
    );
  }
  const { operatorUrl, ownerUrl, release } = await openEmbedded(DATA_DIR);
  return { url: operatorUrl, ownerUrl, release };
}

/**
 * Says so when it creates the database, because the service may have another one. Its release only reports a failure,
 * because what the command has done is done.
 */
async function openEmbedded(dataDir: string) {
  const isNew = !existsSync(path.join(dataDir, 'database.json'));
  const database = await openEmbeddedDatabase(dataDir);
  if (isNew) printError(`There was no database in ${dataDir}, so a new one was created.`);
  return {
    ...database,
    release: () => database.release().catch((error: Error) => printError(error.message)),
  };
}

/** Reads only what commands need, because the service's other settings may be missing on a support machine. */
export function readOperatorSettings(): Settings {
  const read = readVariables(environment(), [
    ...['PORT', 'HOST', 'DATABASE_URL', 'DATABASE_OPERATOR_URL', 'DATABASE_OWNER_URL', 'DATA_DIR'],
    ...['STRIPE_SECRET_KEY', 'STRIPE_API_BASE', 'PAYMENTS', 'SANDBOX_PORT'],
  ]);
  // Decides whether payments are the sandbox's. A support machine does not have the service's own.
  const DATABASE_URL = read.DATABASE_URL || read.DATABASE_OPERATOR_URL || read.DATABASE_OWNER_URL;
  const settings = parseSettings({ ...read, DATABASE_URL });
  return { ...settings, DATA_DIR: path.resolve(checkout, settings.DATA_DIR) };
}

async function providerOf(settings: Settings): Promise<CardProvider> {
  // Few commands need the provider's SDK, which takes a third of the time of a start.
  const { createCardProvider, createStripe } = await import('#src/payments/stripe.ts');
  if (settings.mode === 'sandbox') {
    const secrets = await installationSecrets(settings.DATA_DIR);
    return createCardProvider(createStripe(sandboxSettings(settings, secrets)));
  }
  if (isLiveKeySentElsewhere(settings)) throw new SettingsError(sentElsewhereProblem);
  if (settings.STRIPE_SECRET_KEY) return createCardProvider(createStripe(settings));
  throw new SettingsError(
    'This command calls the payment provider. Set STRIPE_SECRET_KEY, or PAYMENTS=sandbox for the sandbox.',
  );
}

/** @returns the path of the service's log: LOG_FILE, or else `service.log` in DATA_DIR */
export function serviceLogFile(): string {
  // Not the files of the secrets, which only the service may be able to read.
  const { DATA_DIR, LOG_FILE } = readVariables(environment(), ['DATA_DIR', 'LOG_FILE']);
  return path.resolve(checkout, LOG_FILE || path.join(DATA_DIR || '.data', 'service.log'));
}

/** @returns the environment, with `.env` loaded into it */
function environment(): NodeJS.ProcessEnv {
  loadEnvFile(checkout);
  return process.env;
}

/** Resolves a file name against the caller's working directory: npm runs scripts in the checkout. */
export function resolveFile(name: string): string {
  return path.resolve(process.env.INIT_CWD ?? process.cwd(), name);
}

/**
 * @returns the size of a file
 * @throws DomainError refused when there is none, or it is a folder or a pipe
 */
export async function bytesOf(file: string): Promise<number> {
  const name = escapeControlChars(file);
  const stats = await stat(file).catch(() => undefined);
  if (!stats) throw new DomainError('refused', `File not found: ${name}`);
  if (!stats.isFile())
    throw new DomainError('refused', `${name} is not a file. Save the data to a file first.`);
  return stats.size;
}
