import path from 'node:path';
import { openPool } from '#db/client.ts';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import { claimPaymentMode } from '#db/payment-mode.ts';
import type { InstallationSecrets } from '#src/installation-secrets.ts';
import type { Settings } from '#src/settings.ts';
import { StartError } from './cli-output.ts';
import type { Shutdown } from './shutdown.ts';

/** Opens the embedded database. @returns the settings that point to it */
export async function openDatabase(
  settings: Settings,
  secrets: InstallationSecrets,
  shutdown: Shutdown,
): Promise<Partial<Settings>> {
  const dataDir = path.resolve(settings.DATA_DIR);
  const database = await openEmbeddedDatabase(dataDir).catch((error: Error) => {
    throw new StartError(error.message, { cause: error });
  });
  shutdown.add('The database', database.release);
  return {
    DATABASE_URL: database.appUrl,
    DATABASE_OWNER_URL: database.ownerUrl,
    SESSION_SECRET: settings.SESSION_SECRET ?? secrets.sessionSecret,
  };
}

/** @throws StartError when the server is unreachable, rejects our credentials, or is too old */
export async function migrateDatabase({ DATABASE_URL = '', DATABASE_OWNER_URL }: Settings): Promise<void> {
  await migrate(DATABASE_OWNER_URL ?? DATABASE_URL, DATABASE_URL).catch((error: Error) => {
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    throw new StartError(`The database (DATABASE_URL) cannot be used: ${reason}`, { cause: error });
  });
}

/** @throws SettingsError when the database holds cards of another mode */
export async function checkPaymentMode({ DATABASE_URL = '', mode }: Settings): Promise<void> {
  const { db, close } = openPool(DATABASE_URL, { connectionsMax: 1 });
  await claimPaymentMode(db, mode).finally(close);
}
