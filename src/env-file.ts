import { existsSync } from 'node:fs';
import path from 'node:path';

/** Adds the lines of a folder's `.env` to the environment, whose own variables take precedence. */
export function loadEnvFile(folder: string): void {
  const file = path.join(folder, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
}

/**
 * Without the operator's settings, which commands read from the same file. Next would load them again if they were missing
 * in the environment. Delete when Next can be told not to read `.env`.
 */
export function loadServiceEnvFile(folder: string): void {
  loadEnvFile(folder);
  Object.assign(process.env, { DATABASE_OPERATOR_URL: '', DATABASE_OPERATOR_URL_FILE: '' });
}
