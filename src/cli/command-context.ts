import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { openPool } from '#db/client.ts';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import type { Context } from '#src/audit.ts';
import { escapeControlChars } from '#src/escape.ts';
import { readSettings, SettingsError } from '#src/settings.ts';
import type { Mode } from '#src/tokens.ts';

export type CommandContext = Context & {
  /** Of the service's role, for commands that open connections of their own. */
  url: string;
  /** Of the role that owns the tables. */
  ownerUrl: string;
  mode: Mode;
};

const checkout = path.join(import.meta.dirname, '..', '..');

/**
 * Runs a command on the database in DATABASE_URL, or else on the embedded one, which is started if it is not running.
 * Migrates it first.
 * @param actor recorded in the audit log; the system's user by default
 */
export async function withDatabase<Result>(
  actor: string | undefined,
  run: (context: CommandContext) => Promise<Result>,
): Promise<Result> {
  const settings = readOperatorSettings();
  const auditActor = `operator:${actor ?? userInfo().username}`;
  if (escapeControlChars(auditActor) !== auditActor) {
    throw new SettingsError('--actor contains invisible or control characters. Remove them.');
  }
  const { appUrl, ownerUrl, release } = settings.url
    ? { appUrl: settings.url, ownerUrl: settings.ownerUrl ?? settings.url, release: async () => {} }
    : await openEmbeddedDatabase(settings.dataDir);
  try {
    await migrate(ownerUrl, appUrl);
    const { db, close } = openPool(appUrl, { connectionsMax: 1 });
    return await run({ db, actor: auditActor, url: appUrl, ownerUrl, mode: settings.mode }).finally(close);
  } finally {
    await release();
  }
}

/** Reads only what commands need, because the service's other settings may be missing on a support machine. */
function readOperatorSettings() {
  const { DATABASE_URL, DATABASE_OWNER_URL, DATA_DIR, STRIPE_SECRET_KEY } = environment();
  for (const [name, url] of Object.entries({ DATABASE_URL, DATABASE_OWNER_URL })) {
    if (url && !/^postgres(ql)?:\/\//.test(url)) {
      throw new SettingsError(`${name}: must be a URL that starts with postgres:// or postgresql://.`);
    }
  }
  const { mode } = readSettings({
    STRIPE_SECRET_KEY,
    STRIPE_PUBLISHABLE_KEY: STRIPE_SECRET_KEY?.replace(/^[sr]k_/, 'pk_'),
  });
  return {
    url: DATABASE_URL || undefined,
    ownerUrl: DATABASE_OWNER_URL || undefined,
    dataDir: path.resolve(checkout, DATA_DIR || '.data'),
    mode,
  };
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
