import { openPool } from '#db/client.ts';
import { createServices, provideServices, type Services } from '#src/api/services.ts';
import { loadDemo } from '#src/cli/demo/load.ts';
import type { Settings } from '#src/settings.ts';
import { done, StartError, step } from './cli-output.ts';
import { serve } from './host.ts';
import { serveMetrics } from './metrics-server.ts';
import type { Shutdown } from './shutdown.ts';
import { startWorkers } from './workers.ts';

type Options = {
  /** Of an embedded database. */
  operatorUrl: string | undefined;
  isDevelopment: boolean;
  shutdown: Shutdown;
};

/** Serves with a database that is ready. @returns the file with the demo credentials; undefined if there is no demo */
export async function startService(
  settings: Settings,
  { operatorUrl, isDevelopment, shutdown }: Options,
): Promise<string | undefined> {
  const services = provideServices(openServices(settings));
  shutdown.add('The connections to the database', services.close);
  const wantsDemo = operatorUrl && settings.mode !== 'live';
  const demo = wantsDemo ? await loadDemoIfNew(services, operatorUrl) : undefined;
  shutdown.signal.throwIfAborted();
  // First, so that it stops last.
  shutdown.add('The metrics', await serveMetrics(services));
  await step('Pages and API', async () =>
    shutdown.add('Pages and API', await serveIn(services, isDevelopment)),
  );
  return demo;
}

/** Reports a log file that cannot be written before the first request. */
function openServices(settings: Settings): Services {
  try {
    return createServices(settings);
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new StartError(`LOG_FILE: the log cannot be written to ${settings.LOG_FILE} (${why}).`);
  }
}

/**
 * Loads the demo into an empty database.
 * @param operatorUrl of the role that adds customers; their cards are added by the service's role
 * @returns the file with the demo credentials; undefined if there is no demo
 */
async function loadDemoIfNew(services: Services, operatorUrl: string): Promise<string | undefined> {
  const { DATA_DIR: dataDir, publicUrl: baseUrl } = services.settings;
  const startedAt = performance.now();
  const { db, close } = openPool(operatorUrl, { connectionsMax: 1 });
  const loaded = await loadDemo({ db, dataDir, baseUrl, service: services })
    .catch((error: Error) => {
      throw new StartError(`The demo could not be loaded: ${error.message}`, { cause: error });
    })
    .finally(close);
  if (loaded?.isNew) done('Demo: two cities, two customers, their cards, and a year of charges', startedAt);
  return loaded?.file;
}

/** Hot reload needs a single process. @returns a function that stops serving */
async function serveIn(services: Services, isDevelopment: boolean): Promise<() => Promise<void>> {
  const isSingle = isDevelopment || services.settings.WEB_CONCURRENCY === 1;
  return isSingle ? serve(services, isDevelopment) : startWorkers(services.settings);
}
