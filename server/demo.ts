import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Settings } from '#settings.ts';

export async function loadDemoIfNew(settings: Settings): Promise<string | undefined> {
  const file = path.join(path.resolve(settings.DATA_DIR), 'demo.env');
  return existsSync(file) ? file : undefined;
}
