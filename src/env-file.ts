import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { SettingsError } from './settings.ts';

/**
 * Adds the lines of a folder's `.env` to the environment, whose own variables take precedence.
 * @throws SettingsError when it cannot be read
 */
export function loadEnvFile(folder: string): void {
  const file = path.join(folder, '.env');
  if (!existsSync(file)) return;
  try {
    // Without a byte order mark, which `process.loadEnvFile` takes for a part of the first name.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value;
  } catch (cause) {
    throw new SettingsError(
      `${file} cannot be read. Make it a UTF-8 file that this user can read, or remove it.`,
      { cause },
    );
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
