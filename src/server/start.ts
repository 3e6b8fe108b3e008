/**
 * `npm start` and `npm run dev`: prepares the database, the build, and the sandbox, then serves.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createServices, provideServices, type Services } from '#src/api/services.ts';
import { installationSecrets, localHost } from '#src/installation-secrets.ts';
import { readSettings, type Settings, SettingsError } from '#src/settings.ts';
import { buildIfNeeded, isBuilt } from './build.ts';
import { keepConsoleOffStdout, StartError, say, step } from './cli-output.ts';
import { checkDatabase, openDatabase, waitForDatabase } from './database.ts';
import { announceDemo, loadDemoIfNew } from './demo.ts';
import { serveMetrics } from './metrics-server.ts';
import { checkPortIsFree } from './ports.ts';
import { startPaymentsSandbox } from './sandbox.ts';
import { serve } from './serve.ts';
import { Shutdown } from './shutdown.ts';
import { startWorkers } from './workers.ts';

const checkout = path.join(import.meta.dirname, '..', '..');
const isDevelopment = process.argv.includes('--dev');
/** In an image, which has the build but not all of its sources. */
const isPrebuilt = process.argv.includes('--built');
const WRONG_SETTINGS = 2;

async function start(shutdown: Shutdown): Promise<void> {
  const initial = readSettings(process.env);
  const hasSandbox = initial.mode === 'sandbox';
  await checkPortIsFree(initial.HOST, initial.PORT, 'PORT');
  if (hasSandbox) await checkPortIsFree(initial.HOST, initial.sandboxPort, 'SANDBOX_PORT');

  const [{ settings, operatorUrl }] = await allOf([prepare(initial, shutdown), build(shutdown.signal)]);
  shutdown.signal.throwIfAborted();
  const services = provideServices(openServices(settings));
  shutdown.add('The connections to the database', services.close);
  const wantsDemo = operatorUrl && settings.mode !== 'live';
  const demo = wantsDemo ? await loadDemoIfNew(services, operatorUrl) : undefined;
  shutdown.signal.throwIfAborted();
  await step('Pages and API', async () => shutdown.add('Pages and API', await serveIn(services)));
  shutdown.add('The metrics', await serveMetrics(services));
  await announce(settings, hasSandbox, demo);
}

async function build(signal: AbortSignal): Promise<void> {
  if (isDevelopment || isPrebuilt || (await isBuilt(checkout))) return;
  if (process.stderr.isTTY) say('  Building the pages. This takes about a minute the first time.');
  await step('Pages built', () => buildIfNeeded(checkout, signal));
}

/** The operator's URL is that of an embedded database. */
type Prepared = { settings: Settings; operatorUrl?: string };

/** Starts the embedded database and the sandbox if needed. @returns the settings that include both */
async function prepare(initial: Settings, shutdown: Shutdown): Promise<Prepared> {
  const isEmbedded = initial.DATABASE_URL === undefined;
  const hasSandbox = initial.mode === 'sandbox';
  const dataDir = path.resolve(initial.DATA_DIR);
  let settings = initial;
  let operatorUrl: string | undefined;
  const secrets = isEmbedded || hasSandbox ? await installationSecrets(dataDir) : undefined;
  if (secrets && isEmbedded) {
    const database = await step('Embedded PostgreSQL', () => openDatabase(initial, secrets, shutdown));
    const LOG_FILE = initial.LOG_FILE ?? path.join(dataDir, 'service.log');
    settings = { ...initial, LOG_FILE, ...database.settings };
    operatorUrl = database.operatorUrl;
  }
  if (!isEmbedded) await waitForDatabase(settings, shutdown.signal);
  await checkDatabase(settings);
  const prepared = { settings, ...(operatorUrl && { operatorUrl }) };
  if (!secrets || !hasSandbox) return prepared;
  const sandbox = await step('Payment sandbox', () => startPaymentsSandbox(settings, secrets));
  shutdown.add('The payment sandbox', sandbox.close);
  return { ...prepared, settings: { ...settings, ...sandbox.settings } };
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

/** Hot reload needs a single process. @returns a function that stops serving */
async function serveIn(services: Services): Promise<() => Promise<void>> {
  const isSingle = isDevelopment || services.settings.WEB_CONCURRENCY === 1;
  return isSingle ? serve(services, isDevelopment) : startWorkers(services.settings);
}

async function announce(settings: Settings, hasSandbox: boolean, demo: string | undefined): Promise<void> {
  const { HOST, PORT, SERVICE_NAME, PUBLIC_URL, LOG_FILE, sandboxPort } = settings;
  say();
  say(`${SERVICE_NAME} is ready at ${PUBLIC_URL ?? `http://${localHost(HOST)}:${PORT}`}`);
  if (demo) await announceDemo(demo);
  if (hasSandbox) {
    say(
      `Payments are in test mode: the sandbox on port ${sandboxPort} accepts only published test card numbers.`,
    );
    say(`To use this from another machine, forward both ports, ${PORT} and ${sandboxPort}.`);
  }
  if (LOG_FILE) say(`The log is in ${LOG_FILE}`);
  say('Ctrl-C stops everything.');
}

/** Waits for both to settle, so that neither is still starting when the other has failed. */
async function allOf<One, Other>(parts: [Promise<One>, Promise<Other>]): Promise<[One, Other]> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}

async function main(): Promise<void> {
  keepConsoleOffStdout({ isDevelopment });
  Object.assign(process.env, {
    NODE_ENV: isDevelopment ? 'development' : 'production',
    NEXT_TELEMETRY_DISABLED: '1',
  });
  if (existsSync(path.join(checkout, '.env'))) process.loadEnvFile(path.join(checkout, '.env'));
  // Commands read these from the same `.env`. Next would load them again if they were missing here. Delete when Next can
  // be told not to read `.env`.
  Object.assign(process.env, { DATABASE_OPERATOR_URL: '', DATABASE_OPERATOR_URL_FILE: '' });
  const shutdown = new Shutdown();
  shutdown.listen();
  const starting = start(shutdown);
  shutdown.await(starting);
  try {
    await starting;
  } catch (error) {
    // The shutdown exits the process.
    if (shutdown.signal.aborted) return;
    const isExpected = error instanceof SettingsError || error instanceof StartError;
    process.stderr.write(`${isExpected ? error.message : error instanceof Error ? error.stack : error}\n`);
    await shutdown.closeAll();
    process.exit(error instanceof SettingsError ? WRONG_SETTINGS : 1);
  }
}

await main();
