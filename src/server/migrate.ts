/** `npm run migrate`: brings a server's tables, functions, and privileges up to date, before a new release serves. */
import path from 'node:path';
import { loadEnvFile } from '#src/env-file.ts';
import { parseSettings, readVariables, SettingsError } from '#src/settings.ts';
import { printFailure, step } from './cli-output.ts';
import { migrateDatabase } from './database.ts';

try {
  loadEnvFile(path.join(import.meta.dirname, '..', '..'));
  const { DATABASE_OWNER_URL } = parseSettings(readVariables(process.env, ['DATABASE_OWNER_URL']));
  if (!DATABASE_OWNER_URL) {
    throw new SettingsError(
      'Set DATABASE_OWNER_URL to the URL of the database with the role that owns the tables. The embedded database is migrated by `npm start`.',
    );
  }
  await step('Tables up to date', () => migrateDatabase(DATABASE_OWNER_URL));
} catch (error) {
  process.exitCode = printFailure(error);
}
