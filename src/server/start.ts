/** `npm start` and `npm run dev`: prepares the database, the build, and the sandbox, then serves. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { loadServiceEnvFile } from '#src/env-file.ts';
import { type InstallationSecrets, installationSecrets, sandboxSettings } from '#src/installation-secrets.ts';
import { localHost, readSettings, type Settings } from '#src/settings.ts';
import { buildIfNeeded, isBuilt } from './build.ts';
import { keepConsoleOffStdout, printFailure, StartError, say, step } from './cli-output.ts';
import { checkDatabase, openDatabase, waitForDatabase } from './database.ts';
import { checkPortIsFree } from './ports.ts';
import { Shutdown } from './shutdown.ts';

const checkout = path.join(import.meta.dirname, '..', '..');
const isDevelopment = process.argv.includes('--dev');
/** In an image, which has the build but not all of its sources. */
const isPrebuilt = process.argv.includes('--built');

async function start(shutdown: Shutdown): Promise<void> {
  loadServiceEnvFile(checkout);
  const initial = readSettings(process.env);
  const hasSandbox = initial.mode === 'sandbox';
  await checkPortIsFree(initial.HOST, initial.PORT, 'PORT');
  if (hasSandbox) await checkPortIsFree(initial.HOST, initial.sandboxPort, 'SANDBOX_PORT');

  const [{ settings, operatorUrl }] = await allOf([prepare(initial, shutdown), build(shutdown.signal)]);
  shutdown.signal.throwIfAborted();
  const { startService } = await importService();
  const demo = await startService(settings, { operatorUrl, isDevelopment, shutdown });
  await announce(settings, hasSandbox, demo);
}

/** Most modules, which load while the database starts. */
const importService = () => import('./start-service.ts');

async function build(signal: AbortSignal): Promise<void> {
  if (isDevelopment || isPrebuilt || (await isBuilt(checkout))) return;
  if (process.stderr.isTTY) say('  Building the pages. This takes about a minute the first time.');
  await step('Pages built', () => buildIfNeeded(checkout, signal));
}

/** The operator's URL is that of an embedded database. */
type Prepared = { settings: Settings; operatorUrl: string | undefined };

/** Starts the embedded database and the sandbox if needed. @returns the settings that include both */
async function prepare(initial: Settings, shutdown: Shutdown): Promise<Prepared> {
  const isEmbedded = initial.DATABASE_URL === undefined;
  const hasSandbox = initial.mode === 'sandbox';
  const dataDir = path.resolve(initial.DATA_DIR);
  let settings = initial;
  let operatorUrl: string | undefined;
  const secrets = isEmbedded || hasSandbox ? await readSecrets(dataDir) : undefined;
  if (secrets && isEmbedded) {
    const database = await step('Embedded PostgreSQL', () =>
      openDatabase(initial, secrets, shutdown, importService),
    );
    const LOG_FILE = initial.LOG_FILE ?? path.join(dataDir, 'service.log');
    settings = { ...initial, LOG_FILE, ...database.settings };
    operatorUrl = database.operatorUrl;
  }
  if (!isEmbedded) await waitForDatabase(settings, shutdown.signal);
  await checkDatabase(settings);
  if (secrets && hasSandbox) {
    const sandbox = await step('Payment sandbox', () => startPaymentsSandbox(settings, secrets));
    shutdown.add('The payment sandbox', sandbox.close);
    settings = { ...settings, ...sandbox.settings };
  }
  return { settings, operatorUrl };
}

function readSecrets(dataDir: string): Promise<InstallationSecrets> {
  return installationSecrets(dataDir).catch((error: Error) => {
    throw new StartError(error.message, { cause: error });
  });
}

/** @returns the settings that point to the running sandbox, and a function that stops it */
async function startPaymentsSandbox(
  settings: Settings,
  secrets: InstallationSecrets,
): Promise<{ settings: Partial<Settings>; close: () => Promise<void> }> {
  const { HOST, PORT, DATA_DIR, sandboxPort, publicUrl } = settings;
  // Imported here, so that it is not loaded with real keys.
  const { startSandbox } = await import('#packages/stripe-sandbox/index.ts').catch((cause: Error) => {
    throw new StartError(
      'The payment sandbox is not installed. Set STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY, or build the image with --build-arg DEMO=yes.',
      { cause },
    );
  });
  const reachable = localHost(HOST);
  const sandbox = await startSandbox({
    host: HOST,
    port: sandboxPort,
    dataFile: path.join(path.resolve(DATA_DIR), 'sandbox.sqlite'),
    pageOrigins: [...new Set([publicUrl, `http://${reachable}:${PORT}`])],
    secretKey: secrets.sandboxSecretKey,
    publishableKey: secrets.sandboxPublishableKey,
    webhook: { url: `http://${reachable}:${PORT}/api/webhooks/stripe`, secret: secrets.sandboxWebhookSecret },
  });
  return { settings: sandboxSettings(settings, secrets), close: () => sandbox.close() };
}

async function announce(settings: Settings, hasSandbox: boolean, demo: string | undefined): Promise<void> {
  const { PORT, SERVICE_NAME, LOG_FILE, publicUrl, sandboxPort } = settings;
  say();
  say(`${SERVICE_NAME} is ready at ${publicUrl}`);
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

/** Prints the credentials only to a terminal, so that they do not end up in a log file. */
async function announceDemo(file: string): Promise<void> {
  say(
    'Sign in with the demo customer’s key and secret, or call the API with them (X-AUTH-APIKEY, X-AUTH-APISECRET).',
  );
  say(`They are API_KEY and API_SECRET in ${file}, which only you can read.`);
  if (!process.stderr.isTTY) return;
  const { API_KEY, API_SECRET } = parseEnv(await readFile(file, 'utf8'));
  say(`  key     ${API_KEY}`);
  say(`  secret  ${API_SECRET}`);
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
  const shutdown = new Shutdown();
  shutdown.listen();
  const starting = start(shutdown);
  shutdown.await(starting);
  try {
    await starting;
  } catch (error) {
    // The shutdown exits the process.
    if (shutdown.signal.aborted) return;
    const exitCode = printFailure(error);
    await shutdown.closeAll();
    process.exit(exitCode);
  }
}

await main();
