import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { connect } from '#db/client.ts';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import { escapeControlChars } from '#src/escape.ts';
import { readSettings, SettingsError } from '#src/settings.ts';
import type { Mode } from '#src/tokens.ts';
import type { Context } from '#src/verb-context.ts';

/** What a command works with. */
export type Workplace = Context & {
  /** Of the service's role, for work that needs a connection of its own. */
  url: string;
  /** Of the role that owns the tables. */
  ownerUrl: string;
  mode: Mode;
};

const checkout = path.join(import.meta.dirname, '..', '..');

/**
 * Runs a command on the database that the settings name: DATABASE_URL, else the embedded one, which is started when
 * the service does not run. Either is brought up to date first.
 * @param actor who the audit names; by default the user of the system
 */
export async function withDatabase<Result>(
  actor: string | undefined,
  run: (workplace: Workplace) => Promise<Result>,
): Promise<Result> {
  const settings = readOperatorSettings();
  const who = `operator:${actor ?? userInfo().username}`;
  if (escapeControlChars(who) !== who)
    throw new SettingsError('--actor holds characters that cannot be seen.');
  const place = settings.url
    ? { appUrl: settings.url, ownerUrl: settings.ownerUrl ?? settings.url, release: async () => {} }
    : await openEmbeddedDatabase(settings.dataDir);
  try {
    await migrate(place.ownerUrl, place.appUrl);
    const { db, close } = connect(place.appUrl, 1);
    try {
      return await run({ db, actor: who, url: place.appUrl, ownerUrl: place.ownerUrl, mode: settings.mode });
    } finally {
      await close();
    }
  } finally {
    await place.release();
  }
}

/** Only what the operator needs: the service's other settings may be missing on a support person's machine. */
function readOperatorSettings() {
  const file = path.join(checkout, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  const { DATABASE_URL, DATABASE_OWNER_URL, DATA_DIR, STRIPE_SECRET_KEY } = process.env;
  for (const [name, url] of Object.entries({ DATABASE_URL, DATABASE_OWNER_URL })) {
    if (url && !/^postgres(ql)?:\/\//.test(url)) {
      throw new SettingsError(`${name}: must be an address that starts with postgres:// or postgresql://.`);
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

/** A file as the person who typed its name meant it: npm runs scripts elsewhere than where it was called. */
export function givenFile(name: string): string {
  return path.resolve(process.env.INIT_CWD ?? process.cwd(), name);
}
