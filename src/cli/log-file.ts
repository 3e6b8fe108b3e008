import { existsSync } from 'node:fs';
import path from 'node:path';

const checkout = path.join(import.meta.dirname, '..', '..');

/** Where the service writes its log: LOG_FILE, else beside the embedded database. */
export function logFile(): string {
  const file = path.join(checkout, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  const { LOG_FILE, DATA_DIR } = process.env;
  return path.resolve(checkout, LOG_FILE || path.join(DATA_DIR || '.data', 'service.log'));
}
