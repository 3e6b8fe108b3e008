/** What is measured, each a process of its own on a port of its own, over the same database. */
import path from 'node:path';
import { installationSecrets } from '#src/server/secrets.ts';
import { settingNames } from '#src/settings.ts';
import { checkout } from '#tools/checkout.ts';
import { startProgram, untilReady } from '#tools/testing/processes.ts';
import type { Place } from './environment.ts';

export type Target = {
  name: string;
  baseUrl: string;
  /** From its start to its first answer. */
  startMs: number;
  processId: number;
  /** Starts a control anew. */
  renew?: () => Promise<void>;
  close: () => Promise<void>;
};

/** As `npm start` runs it. */
const service = ['src/server/start.ts'];
const next = path.join(checkout, 'node_modules', 'next', 'dist', 'bin', 'next');

type Program = { run: (port: number) => string[]; environment?: Record<string, string> };

export const programs = {
  service: { run: () => service },
  'service, 2 processes': { run: () => service, environment: { WEB_CONCURRENCY: '2' } },
  'Fastify 5': { run: () => ['tools/bench/controls/fastify.ts'] },
  'node:http': { run: () => ['tools/bench/controls/bare.ts'] },
  'node:http, 1 connection': {
    run: () => ['tools/bench/controls/bare.ts'],
    environment: { CONNECTIONS: '1' },
  },
  'next start': { run: (port) => [next, 'start', '--hostname', '127.0.0.1', '--port', `${port}`] },
} satisfies Record<string, Program>;

/**
 * The service as its users run it, log and limits included; the limits are only too high to be reached. The sandbox
 * is the service's, and the plain Next talks to it too, so the service is started first.
 * @param given as `targetEnvironment` gives it
 */
export async function startTarget(
  name: keyof typeof programs,
  port: number,
  given: NodeJS.ProcessEnv,
): Promise<Target> {
  const { run, environment }: Program = programs[name];
  const command = run(port);
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = { ...given, PORT: `${port}`, ...environment };
  const startedAt = performance.now();
  let program = await startProcess(command, env, baseUrl);
  const target: Target = {
    name,
    baseUrl,
    startMs: performance.now() - startedAt,
    processId: program.processId,
    close: async () => {
      await program.stop();
    },
  };
  if (!command[0]?.includes('controls')) return target;
  const renew = async () => {
    await program.stop();
    program = await startProcess(command, env, baseUrl);
    target.processId = program.processId;
  };
  return Object.assign(target, { renew });
}

const responds = (baseUrl: string) => async () =>
  fetch(`${baseUrl}/api/schedule/v1/customers/payout`).then(
    async (response) => Boolean(await response.arrayBuffer()),
    () => false,
  );

const startProcess = (command: string[], env: NodeJS.ProcessEnv, baseUrl: string) =>
  untilReady(startProgram(command, env), responds(baseUrl));

/** @returns the environment of all targets, with the keys of the sandbox that the service starts */
export async function targetEnvironment(place: Place, sandboxPort: number): Promise<NodeJS.ProcessEnv> {
  const dataDir = path.join(place.folder, 'service');
  const secrets = await installationSecrets(dataDir);
  return {
    ...withoutSettings(process.env),
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    DATABASE_URL: place.databaseUrl,
    DATABASE_OWNER_URL: place.ownerUrl,
    DATA_DIR: dataDir,
    SESSION_SECRET: secrets.sessionSecret,
    PAYMENTS: 'sandbox',
    SANDBOX_PORT: `${sandboxPort}`,
    STRIPE_SECRET_KEY: secrets.sandboxSecretKey,
    STRIPE_PUBLISHABLE_KEY: secrets.sandboxPublishableKey,
    STRIPE_API_BASE: `http://127.0.0.1:${sandboxPort}`,
    LOG_FILE: path.join(place.folder, 'service.log'),
    LIMIT_REQUESTS_PER_MINUTE: '1000000000',
    LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: '1000000000',
    LIMIT_FAILED_AUTH_PER_ADDRESS: '1000000000',
  };
}

/** @throws Error when there is none within a minute */
export async function firstAnswer(url: string): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  for (;;) {
    const answer = await fetch(url, { signal }).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer) return;
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What happens to be set around the benchmark is no part of it. */
export function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, ...Object.fromEntries(settingNames.map((name) => [name, ''])) };
}
