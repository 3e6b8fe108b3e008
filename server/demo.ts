import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Settings } from '#settings.ts';
import { step } from './steps.ts';

/**
 * Loads the demo where it is missing and nobody else's data is there.
 * @returns the file with its credentials, if there is a demo
 */
export async function loadDemoIfNew(settings: Settings): Promise<string | undefined> {
  const file = path.join(path.resolve(settings.DATA_DIR), 'demo.env');
  if (existsSync(file)) return file;
  const { loadDemoHere } = await import('#operator/demo-here.ts');
  const loaded = await step('Demo: two cities, two customers, a year of entries', loadDemoHere);
  return loaded?.file;
}
