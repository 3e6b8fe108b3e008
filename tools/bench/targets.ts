/** The programs that are compared, each a process on its own port, over the same database. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { installationSecrets } from '#src/installation-secrets.ts';
import { settingVariables } from '#src/settings.ts';
import { checkout, programOf } from '#tools/checkout.ts';
import { startExecutable, startProgram, temporaryFolder, untilReady } from '#tools/testing/processes.ts';
import { paths } from './control.ts';
import type { Environment } from './environment.ts';
import { median, print } from './measure.ts';

export type Target = {
  name: string;
  baseUrl: string;
  /** From the start of the process to its first response. */
  startMs: number;
  processId: number;
  /** Only of controls. */
  restart?: () => Promise<void>;
  close: () => Promise<void>;
};

const highLimits = {
  LIMIT_REQUESTS_PER_MINUTE: '1000000000',
  LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: '1000000000',
  LIMIT_FAILED_AUTH_PER_ADDRESS: '1000000000',
  LIMIT_NEW_CARDS_PER_HOUR: '1000000000',
};
const defaultLimits = Object.fromEntries(Object.keys(highLimits).map((name) => [name, '']));

const { scripts } = JSON.parse(readFileSync(path.join(checkout, 'package.json'), 'utf8'));
/** `npm start` is `exec env NAME=value node ARGUMENT…`. */
const [, , variable, , ...service]: string[] = scripts.start.split(' ');

type TargetProgram = {
  command: (port: number) => string[];
  env?: Record<string, string> | ((port: number) => Record<string, string>);
  isObserved?: true;
};

const metricsPort = (targetPort: number) => targetPort + 80;
const collectorPort = (targetPort: number) => targetPort + 81;

const oneConnection = { CONNECTIONS: '1' };

export const programs = {
  service: { command: () => service },
  'service, default limits': { command: () => service, env: defaultLimits },
  'service, 2 processes': { command: () => service, env: { WEB_CONCURRENCY: '2' } },
  'service, metrics and traces': {
    command: () => service,
    env: (port) => ({
      METRICS_PORT: `${metricsPort(port)}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort(port)}`,
    }),
    isObserved: true,
  },
  'Fastify 5': { command: () => ['tools/bench/control.ts', 'fastify'] },
  'Fastify 5, 1 connection': { command: () => ['tools/bench/control.ts', 'fastify'], env: oneConnection },
  'node:http': { command: () => ['tools/bench/control.ts', 'node:http'] },
  'node:http, 1 connection': { command: () => ['tools/bench/control.ts', 'node:http'], env: oneConnection },
  'next start': {
    command: (port) => [programOf('next'), 'start', '--hostname', '127.0.0.1', '--port', `${port}`],
  },
} satisfies Record<string, TargetProgram>;

/** Start the service first: it runs the sandbox, which `next start` uses too. */
export async function startTarget(
  name: keyof typeof programs,
  port: number,
  sharedEnv: NodeJS.ProcessEnv,
): Promise<Target> {
  const { command, env, isObserved }: TargetProgram = programs[name];
  const ownEnv = typeof env === 'function' ? env(port) : env;
  const baseUrl = `http://127.0.0.1:${port}`;
  const start = () =>
    untilReady(startProgram(command(port), { ...sharedEnv, PORT: `${port}`, ...ownEnv }), () =>
      responds(baseUrl + paths.payout),
    );
  const startedAt = performance.now();
  let program = await start();
  const observer = isObserved && (await observe(port));
  const target: Target = {
    name,
    baseUrl,
    startMs: performance.now() - startedAt,
    processId: program.processId,
    close: async () => {
      if (observer) await observer.close();
      await program.stop();
    },
  };
  if (!command(port)[0]?.includes('bench/control')) return target;
  const restart = async () => {
    await program.stop();
    program = await start();
    target.processId = program.processId;
  };
  return Object.assign(target, { restart });
}

/** @returns the environment of all targets, with limits that are too high to be reached */
export async function targetEnv(environment: Environment, sandboxPort: number): Promise<NodeJS.ProcessEnv> {
  const dataDir = path.join(environment.folder, 'service');
  const secrets = await installationSecrets(dataDir);
  return {
    ...withoutSettings(process.env),
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    DATABASE_URL: environment.databaseUrl,
    DATA_DIR: dataDir,
    SESSION_SECRET: secrets.sessionSecret,
    PAYMENTS: 'sandbox',
    SANDBOX_PORT: `${sandboxPort}`,
    STRIPE_SECRET_KEY: secrets.sandboxSecretKey,
    STRIPE_PUBLISHABLE_KEY: secrets.sandboxPublishableKey,
    STRIPE_API_BASE: `http://127.0.0.1:${sandboxPort}`,
    LOG_FILE: path.join(environment.folder, 'service.log'),
    ...Object.fromEntries([(variable ?? '').split('=')]),
    ...highLimits,
  };
}

/**
 * Measures `npm start` on an existing database, from the command to the first response.
 * @returns the median; the first start, which creates the database, doesn't count
 */
export async function secondStartMs(port: number): Promise<number> {
  const folder = await temporaryFolder('second-start');
  const times: number[] = [];
  for (let round = -1; round < 5; round += 1) {
    const elapsedMs = await npmStartMs(folder.path, port);
    if (round >= 0) times.push(elapsedMs);
  }
  await folder.remove();
  print('starts');
  return median(times);
}

async function npmStartMs(dataDir: string, port: number): Promise<number> {
  const startedAt = performance.now();
  const program = startExecutable('npm', ['start'], {
    cwd: checkout,
    // In its own process group, so that SIGINT reaches npm's children, as Ctrl-C does.
    detached: true,
    env: { ...withoutSettings(process.env), PORT: `${port}`, DATA_DIR: dataDir },
  });
  await untilReady(program, () => responds(`http://127.0.0.1:${port}/api/health/ready`));
  const elapsedMs = performance.now() - startedAt;
  process.kill(-program.processId, 'SIGINT');
  await program.exited;
  return elapsedMs;
}

export async function responds(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => undefined);
  await response?.arrayBuffer();
  return response !== undefined;
}

/** Empties the settings of the surrounding shell. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, ...Object.fromEntries(settingVariables.map((name) => [name, ''])) };
}

/** The usual interval of Prometheus is longer. */
const scrapeIntervalMs = 5_000;

/**
 * Reads the metrics of a target as Prometheus does, and receives its traces as an OpenTelemetry collector does.
 * @throws Error if the target does not return its metrics
 */
async function observe(targetPort: number): Promise<{ close: () => Promise<void> }> {
  const collector = createServer(
    (request, response) => void request.resume().on('end', () => response.end()),
  );
  await once(collector.listen(collectorPort(targetPort), '127.0.0.1'), 'listening');
  const scrape = async () => {
    const response = await fetch(`http://127.0.0.1:${metricsPort(targetPort)}/metrics`);
    if (!response.ok) throw new Error(`The metrics returned ${response.status}.`);
    await response.text();
  };
  await scrape();
  const timer = setInterval(scrape, scrapeIntervalMs);
  return {
    close: async () => {
      clearInterval(timer);
      collector.closeAllConnections();
      await once(collector.close(), 'close');
    },
  };
}
