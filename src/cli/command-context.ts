import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { openPool } from '#db/client.ts';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import { findPaymentMode, refuseOtherMode } from '#db/payment-mode.ts';
import { type Context, withOrigin } from '#src/audit.ts';
import { escapeControlChars } from '#src/escape.ts';
import { installationSecrets } from '#src/installation-secrets.ts';
import type { CardProvider } from '#src/payments/provider.ts';
import { createCardProvider, createStripe } from '#src/payments/stripe.ts';
import { sandboxSettings } from '#src/sandbox-settings.ts';
import { parseSettings, type Settings, SettingsError } from '#src/settings.ts';
import type { Mode } from '#src/tokens.ts';

export type CommandContext = Context & {
  /** Of the service's role, for commands that open connections of their own. */
  url: string;
  /** Of the role that owns the tables. */
  ownerUrl: string;
  mode: Mode;
  /** For commands that call the payment provider. @throws SettingsError without its key */
  openProvider: () => Promise<CardProvider>;
};

const checkout = path.join(import.meta.dirname, '..', '..');

/** The addresses of the database, for the role that serves and the role that owns the tables. */
type DatabaseUrls = { appUrl: string; ownerUrl: string };

/** Opens the database in DATABASE_URL, or else the embedded one, which is started if it is not running. */
export async function openDatabase<Result>(run: (urls: DatabaseUrls) => Promise<Result>): Promise<Result> {
  const { DATABASE_URL: url, DATABASE_OWNER_URL, DATA_DIR } = readOperatorSettings();
  if (url) return run({ appUrl: url, ownerUrl: DATABASE_OWNER_URL ?? url });
  const { appUrl, ownerUrl, release } = await openEmbeddedDatabase(DATA_DIR);
  return run({ appUrl, ownerUrl }).finally(release);
}

/** @throws SettingsError */
export function auditActorOf(actor: string | undefined): string {
  const auditActor = `operator:${actor ?? userInfo().username}`;
  if (escapeControlChars(auditActor) === auditActor) return auditActor;
  throw new SettingsError('--actor contains invisible or control characters. Remove them.');
}

/**
 * Runs a command on the database, which is migrated first.
 * @param actor recorded in the audit log; the system's user by default
 */
export async function withDatabase<Result>(
  actor: string | undefined,
  run: (context: CommandContext) => Promise<Result>,
): Promise<Result> {
  const settings = readOperatorSettings();
  const auditActor = auditActorOf(actor);
  return openDatabase(async ({ appUrl, ownerUrl }) => {
    await migrate(ownerUrl, appUrl);
    const { db, close } = openPool(appUrl, { connectionsMax: 1 });
    const stored = await findPaymentMode(db);
    const mode = (stored ?? settings.mode) === 'live' ? 'live' : 'test';
    const openProvider = async () => {
      refuseOtherMode(stored, settings.mode);
      return providerOf(settings);
    };
    const context: CommandContext = { db, actor: auditActor, url: appUrl, ownerUrl, mode, openProvider };
    return withOrigin({ channel: 'cli' }, () => run(context)).finally(close);
  });
}

/** Reads only what commands need, because the service's other settings may be missing on a support machine. */
export function readOperatorSettings(): Settings {
  const env = environment();
  const names = [
    'DATABASE_URL',
    'DATABASE_OWNER_URL',
    'DATA_DIR',
    'PAYMENTS',
    'STRIPE_SECRET_KEY',
    'STRIPE_API_BASE',
    ...['HOST', 'PORT', 'SANDBOX_PORT'],
  ];
  const settings = parseSettings(Object.fromEntries(names.map((name) => [name, env[name]])));
  return { ...settings, DATA_DIR: path.resolve(checkout, settings.DATA_DIR) };
}

async function providerOf(settings: Settings): Promise<CardProvider> {
  if (settings.mode === 'sandbox') {
    const secrets = await installationSecrets(settings.DATA_DIR);
    return createCardProvider(createStripe(sandboxSettings(settings, secrets)));
  }
  if (settings.STRIPE_SECRET_KEY) return createCardProvider(createStripe(settings));
  throw new SettingsError(
    'This command calls the payment provider. Set STRIPE_SECRET_KEY, or PAYMENTS=sandbox for the sandbox.',
  );
}

/** @returns the path of the service's log: LOG_FILE, or else `service.log` in DATA_DIR */
export function serviceLogFile(): string {
  const { LOG_FILE, DATA_DIR } = environment();
  return path.resolve(checkout, LOG_FILE || path.join(DATA_DIR || '.data', 'service.log'));
}

/** @returns the environment, with `.env` loaded into it */
function environment(): NodeJS.ProcessEnv {
  const file = path.join(checkout, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  return process.env;
}

/** Resolves a file name against the caller's working directory: npm runs scripts in the checkout. */
export function resolveFile(name: string): string {
  return path.resolve(process.env.INIT_CWD ?? process.cwd(), name);
}
