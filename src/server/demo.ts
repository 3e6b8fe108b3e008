import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { openPool } from '#db/client.ts';
import type { Services } from '#src/api/services.ts';
import { loadDemo } from '#src/cli/demo/load.ts';
import { done, StartError, say } from './cli-output.ts';

/**
 * Loads the demo into an empty database.
 * @param operatorUrl of the role that adds customers; their cards are added by the service's role
 * @returns the file with the demo credentials; undefined if there is no demo
 */
export async function loadDemoIfNew(services: Services, operatorUrl: string): Promise<string | undefined> {
  const { DATA_DIR: dataDir } = services.settings;
  const file = path.join(path.resolve(dataDir), 'demo.env');
  if (existsSync(file)) return file;
  const startedAt = performance.now();
  const { db, close } = openPool(operatorUrl, { connectionsMax: 1 });
  const loaded = await loadDemo({ db, dataDir, baseUrl: services.settings.publicUrl, service: services })
    .catch((error: Error) => {
      throw new StartError(`The demo could not be loaded: ${error.message}`, { cause: error });
    })
    .finally(close);
  if (loaded) done('Demo: two cities, two customers, their cards, and a year of charges', startedAt);
  return loaded?.file;
}

/** Prints the credentials only to a terminal, so that they do not end up in a log file. */
export async function announceDemo(file: string): Promise<void> {
  say(
    'Sign in with the demo customer’s key and secret, or call the API with them (X-AUTH-APIKEY, X-AUTH-APISECRET).',
  );
  say(`They are API_KEY and API_SECRET in ${file}, which only you can read.`);
  if (!process.stderr.isTTY) return;
  const { API_KEY, API_SECRET } = parseEnv(await readFile(file, 'utf8'));
  say(`  key     ${API_KEY}`);
  say(`  secret  ${API_SECRET}`);
}
