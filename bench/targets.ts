/** What is measured, each a process of its own on a port of its own, over the same database. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { Place } from './place.ts';

export type Target = {
  name: 'service' | 'fastify' | 'bare' | 'next';
  baseUrl: string;
  /** From its start to its first answer. */
  startMs: number;
  processId: number;
  close: () => Promise<void>;
};

const checkout = path.join(import.meta.dirname, '..');
const next = path.join(checkout, 'node_modules', 'next', 'dist', 'bin', 'next');

const programs: Record<Target['name'], (port: number) => string[]> = {
  service: () => ['server/start.ts'],
  fastify: () => ['bench/controls/fastify.ts'],
  bare: () => ['bench/controls/bare.ts'],
  next: (port) => [next, 'start', '--hostname', '127.0.0.1', '--port', `${port}`],
};

/**
 * The service as its users run it, log and limits included; the limits are only too high to be reached. The sandbox
 * is the service's, and the plain Next talks to it too, so the service is started first and with this environment.
 * @param port its own; the sandbox is on the one that `environment` says
 */
export async function startTarget(
  name: Target['name'],
  port: number,
  environment: NodeJS.ProcessEnv,
): Promise<Target> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, programs[name](port), {
    cwd: checkout,
    env: { ...environment, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text));
  const baseUrl = `http://127.0.0.1:${port}`;
  const died = new Promise<never>((_, reject) =>
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}:\n${output}`))),
  );
  died.catch(() => {});
  await Promise.race([firstAnswer(`${baseUrl}/api/schedule/v1/customers/payout`), died]);
  return {
    name,
    baseUrl,
    startMs: performance.now() - startedAt,
    processId: child.pid ?? 0,
    close: () => stop(child),
  };
}

/** @returns the environment of all targets; the sandbox's keys are made here, so that both who use it know them */
export function targetEnvironment(place: Place, sandboxPort: number): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    DATABASE_URL: place.databaseUrl,
    DATABASE_OWNER_URL: place.ownerUrl,
    DATA_DIR: path.join(place.folder, 'service'),
    SESSION_SECRET: 'a secret of the benchmark, which nobody else needs to know',
    PAYMENTS: 'sandbox',
    SANDBOX_PORT: `${sandboxPort}`,
    LOG_FILE: path.join(place.folder, 'service.log'),
    LIMIT_REQUESTS_PER_MINUTE: '1000000000',
    LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: '1000000000',
    LIMIT_FAILED_AUTH_PER_ADDRESS: '1000000000',
  };
}

async function firstAnswer(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
