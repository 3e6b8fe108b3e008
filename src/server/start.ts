/**
 * `npm start` and `npm run dev`: makes everything that the service needs, and serves it. What the rest of the code needs to
 * know is written into this process's environment before any of it is loaded.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readSettings, type Settings, SettingsError } from '#src/settings.ts';
import { buildIfNeeded, isBuilt } from './build.ts';
import { StartError, say, step } from './cli-output.ts';
import { migrateDatabase, openDatabase } from './database.ts';
import { announceDemo, loadDemoIfNew } from './demo.ts';
import { checkPortIsFree } from './ports.ts';
import { localHost, needsSandbox, startPaymentsSandbox } from './sandbox.ts';
import { type InstallationSecrets, installationSecrets } from './secrets.ts';
import { Shutdown } from './shutdown.ts';

const checkout = path.join(import.meta.dirname, '..', '..');
const isDevelopment = process.argv.includes('--dev');
const WRONG_SETTINGS = 2;

async function start(shutdown: Shutdown): Promise<void> {
  const settings = readSettings(process.env);
  const isEmbedded = settings.DATABASE_URL === undefined;
  const hasSandbox = needsSandbox(settings);
  await checkPortIsFree(settings.HOST, settings.PORT, 'PORT');
  if (hasSandbox) await checkPortIsFree(settings.HOST, settings.sandboxPort, 'SANDBOX_PORT');
  const secrets =
    isEmbedded || hasSandbox ? await installationSecrets(path.resolve(settings.DATA_DIR)) : undefined;

  await allOf([build(shutdown.signal), prepare(settings, secrets, shutdown)]);
  shutdown.signal.throwIfAborted();
  // The environment is whole from here on; nothing that reads it was loaded before.
  await openLog();
  const { closeDatabase } = await import('#db/client.ts');
  shutdown.add('The connections to the database', closeDatabase);
  const wantsDemo = isEmbedded && settings.mode === 'test';
  const demo = wantsDemo ? await loadDemoIfNew(path.resolve(settings.DATA_DIR)) : undefined;
  shutdown.signal.throwIfAborted();
  // Hot reload is of one process.
  const processes = isDevelopment ? 1 : settings.WEB_CONCURRENCY;
  await step('Pages and API', async () => shutdown.add('Pages and API', await serveIn(processes)));
  await announce(settings, hasSandbox, demo);
}

async function build(signal: AbortSignal): Promise<void> {
  if (isDevelopment || (await isBuilt(checkout))) return;
  if (process.stdout.isTTY) say('  Building the pages: this takes a while, once.');
  await step('Pages built', () => buildIfNeeded(checkout, signal));
}

async function prepare(
  settings: Settings,
  secrets: InstallationSecrets | undefined,
  shutdown: Shutdown,
): Promise<void> {
  if (secrets && settings.DATABASE_URL === undefined) {
    await step('Database, a PostgreSQL that comes with the service', () =>
      openDatabase(settings, secrets, shutdown),
    );
    process.env.LOG_FILE ||= path.join(path.resolve(settings.DATA_DIR), 'service.log');
  }
  await step('Tables up to date', migrateDatabase);
  if (!secrets || !needsSandbox(settings)) return;
  await step('Payments sandbox, a stand-in for the card-payment provider', async () => {
    shutdown.add('The payments sandbox', await startPaymentsSandbox(settings, secrets));
  });
}

/** Now, so that a file that cannot be written is told here, and not to whoever asks first. */
async function openLog(): Promise<void> {
  const { log } = await import('#src/log.ts');
  try {
    log();
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new StartError(`LOG_FILE: the log cannot be written to ${process.env.LOG_FILE} (${why}).`);
  }
}

/** @returns what ends it */
async function serveIn(processes: number): Promise<() => Promise<void>> {
  if (processes > 1) return (await import('./workers.ts')).startWorkers(processes);
  return (await import('./serve.ts')).serve(isDevelopment);
}

async function announce(settings: Settings, hasSandbox: boolean, demo: string | undefined): Promise<void> {
  const { HOST, PORT, SERVICE_NAME, PUBLIC_URL, sandboxPort } = settings;
  say();
  say(`${SERVICE_NAME} is ready at ${PUBLIC_URL ?? `http://${localHost(HOST)}:${PORT}`}`);
  if (demo) await announceDemo(demo);
  if (hasSandbox) {
    say(
      `Card payments are a stand-in on port ${sandboxPort}: no bank is asked, and only published test numbers work.`,
    );
    say(`To use this from another machine, forward both ports, ${PORT} and ${sandboxPort}.`);
  }
  if (process.env.LOG_FILE) say(`The log is in ${process.env.LOG_FILE}`);
  say('Ctrl-C stops everything.');
}

/** Waits for all, so that none is still starting something when the first has failed. */
async function allOf(parts: Promise<void>[]): Promise<void> {
  for (const part of await Promise.allSettled(parts)) if (part.status === 'rejected') throw part.reason;
}

async function main(): Promise<void> {
  Object.assign(process.env, {
    NODE_ENV: isDevelopment ? 'development' : 'production',
    NEXT_TELEMETRY_DISABLED: '1',
  });
  if (existsSync(path.join(checkout, '.env'))) process.loadEnvFile(path.join(checkout, '.env'));
  const shutdown = new Shutdown();
  shutdown.listen();
  const starting = start(shutdown);
  shutdown.await(starting);
  try {
    await starting;
  } catch (error) {
    // Somebody asked to stop: that way ends the process.
    if (shutdown.signal.aborted) return;
    const isExpected = error instanceof SettingsError || error instanceof StartError;
    process.stderr.write(`${isExpected ? error.message : error instanceof Error ? error.stack : error}\n`);
    await shutdown.closeAll();
    process.exit(error instanceof SettingsError ? WRONG_SETTINGS : 1);
  }
}

await main();
