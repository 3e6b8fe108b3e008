import { existsSync } from 'node:fs';
import path from 'node:path';
import { SettingsError } from './settings.ts';

/**
 * Adds the lines of a folder's `.env` to the environment, whose own variables take precedence.
 * @throws SettingsError when it cannot be read
 */
export function loadEnvFile(folder: string): void {
  const file = path.join(folder, '.env');
  if (!existsSync(file)) return;
  try {
    process.loadEnvFile(file);
  } catch (cause) {
    throw new SettingsError(`${file} cannot be read. Make it a file that this user can read, or remove it.`, {
      cause,
    });
  }
}

/**
 * Without the operator's settings, which commands read from the same file. Next would load them again if they were missing
 * in the environment. Delete when Next can be told not to read `.env`.
 */
export function loadServiceEnvFile(folder: string): void {
  loadEnvFile(folder);
  Object.assign(process.env, { DATABASE_OPERATOR_URL: '', DATABASE_OPERATOR_URL_FILE: '' });
}
