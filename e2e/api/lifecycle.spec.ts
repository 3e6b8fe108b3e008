/** Each test starts a service with its own ports. The data folder of all is created by the first. */
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { test as base, expect } from '@playwright/test';
import { ScheduleClient } from '#packages/client/index.ts';
import { programOf } from '#tools/checkout.ts';
import { credentialHeaders } from '#tools/testing/factories.ts';
import { unusedPort } from '#tools/testing/listen.ts';
import { type Program, startProgram, temporaryFolder, untilReady } from '#tools/testing/processes.ts';
import { demoCredentials } from '../dashboard/steps.ts';
import { startCommand, workersOf } from '../support/own-service.ts';

type Started = Program & { port: number };
type Service = {
  dataDir: string;
  start: (env?: Record<string, string>) => Promise<Started>;
};

const test = base.extend<{ service: Service }, { dataDir: string }>({
  dataDir: [
    async ({ browserName: _browserName }, use) => {
      const folder = await temporaryFolder('lifecycle with spaces');
      await use(path.join(folder.path, 'data'));
      await folder.remove();
    },
    { scope: 'worker' },
  ],
  service: async ({ dataDir }, use) => {
    const all: Started[] = [];
    const start = async (env: Record<string, string> = {}) => {
      const started = await startService({ DATA_DIR: dataDir, ...env });
      all.push(started);
      return started;
    };
    await use({ dataDir, start });
    await Promise.all(all.map(({ stop }) => stop()));
  },
});

// Each test starts a service, some twice.
test.describe.configure({ mode: 'default', timeout: 120_000 });

/** Waits until the service is ready or has exited. */
async function startService(env: Record<string, string>): Promise<Started> {
  const port = await unusedPort();
  const ports = { PORT: `${port}`, SANDBOX_PORT: `${await unusedPort()}` };
  const program = startProgram(startCommand, { ...process.env, ...ports, ...env });
  await untilReady(program, () => program.hasExited() || program.output().includes('Ctrl-C stops'));
  return { ...program, port };
}

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function demoPayout(port: number, dataDir: string): Promise<unknown> {
  const keys = await demoCredentials(dataDir);
  return new ScheduleClient({ baseUrl: `http://127.0.0.1:${port}`, ...keys, retries: 0 }).getPayout();
}

const postmasterFile = (dataDir: string) => path.join(dataDir, 'postgres', 'data', 'postmaster.pid');

test('start: the first start creates database and demo; SIGINT stops every process', async ({ service }) => {
  const first = await service.start();
  expect(first.output()).toContain(`is ready at http://127.0.0.1:${first.port}`);
  expect(first.output()).toContain(path.join(service.dataDir, 'demo.env'));
  expect(first.output()).toContain('the sandbox on port');
  // Next.js prints its own steps.
  expect(first.output()).not.toContain('next.config');
  // The log is in a file, and nothing else may be on standard output.
  expect(first.standardOutput()).toBe('');
  const demo = await stat(path.join(service.dataDir, 'demo.env'));
  expect(demo.mode & 0o777).toBe(0o600);
  const { API_SECRET = 'none' } = parseEnv(await readFile(path.join(service.dataDir, 'demo.env'), 'utf8'));
  expect(first.output()).not.toContain(API_SECRET);
  await demoPayout(first.port, service.dataDir);

  first.kill('SIGINT');
  await expect.poll(first.output, { intervals: [20] }).toContain('Stopping…');
  // npm forwards the same Ctrl-C a moment later.
  first.kill('SIGINT');
  expect(await first.exited).toBe(0);
  await expect(stat(postmasterFile(service.dataDir))).rejects.toThrow('ENOENT');
});

test('shutdown: is not ready after SIGTERM, serves during the drain, and completes requests in flight', async ({
  service,
}) => {
  const METRICS_PORT = `${await unusedPort()}`;
  const started = await service.start({ DRAIN_SECONDS: '10', METRICS_PORT });
  const credentials = credentialHeaders(await demoCredentials(service.dataDir));
  const call = request({
    port: started.port,
    path: '/api/v1/payment/cards',
    method: 'POST',
    headers: { ...credentials, 'Content-Type': 'application/json', Expect: '100-continue' },
  });
  call.flushHeaders();
  // The service has received the headers and waits for the body.
  await once(call, 'continue');
  started.kill('SIGTERM');
  await expect.poll(started.output, { intervals: [20] }).toContain('Stopping…');
  const ready = await fetch(`http://127.0.0.1:${started.port}/api/health/ready`);
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
  const live = await fetch(`http://127.0.0.1:${started.port}/api/health/live`);
  expect([live.status, live.headers.get('connection')]).toEqual([200, 'close']);
  expect((await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).status).toBe(200);
  call.end(JSON.stringify({ token: 'tok_amex', card: {} }));
  const [response] = await once(call, 'response');
  expect([response.statusCode, response.headers.connection]).toEqual([200, 'close']);
  expect(JSON.parse(Buffer.concat(await response.toArray()).toString())).toMatchObject({ status: true });
  expect(await started.exited).toBe(0);
});

test('shutdown: does not wait for worker processes that are still starting', async ({ service }) => {
  // A worker that serves has more time to stop than this test.
  const started = await service.start({ WEB_CONCURRENCY: '2', DRAIN_SECONDS: '300' });
  const workers = workersOf(started.processId);
  for (const id of workers) process.kill(id, 'SIGKILL');
  const replacements = () => workersOf(started.processId).filter((id) => !workers.includes(id));
  await expect.poll(() => replacements().length, { intervals: [20] }).toBe(2);
  for (const id of replacements()) process.kill(id, 'SIGSTOP');
  expect(started.output()).not.toContain('Another worker process serves');
  started.kill('SIGTERM');
  expect(await started.exited).toBe(0);
  expect(replacements()).toEqual([]);
});

test('start: after SIGKILL, refuses live keys on a database of the sandbox; recovers from one of the database too', async ({
  service,
}) => {
  const first = await service.start();
  const before = await demoPayout(first.port, service.dataDir);
  first.kill('SIGKILL');
  await first.exited;
  const keys = {
    STRIPE_SECRET_KEY: 'sk_live_ofOnesOwn',
    STRIPE_PUBLISHABLE_KEY: 'pk_live_ofOnesOwn',
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdefghijklmnopqrstuv',
    PUBLIC_URL: 'https://scheduling.example.com',
  };
  const live = await service.start(keys);
  expect(await live.exited).toBe(2);
  expect(live.output()).toContain('This database is for the payment sandbox, so it cannot be used with live');
  expect(live.output()).not.toContain('is ready at');
  const again = await service.start();
  expect(again.output()).toContain('is ready at');
  const postmaster = Number((await readFile(postmasterFile(service.dataDir), 'utf8')).split('\n')[0]);
  again.kill('SIGKILL');
  process.kill(postmaster, 'SIGKILL');
  await again.exited;
  const recovered = await service.start();
  expect(await demoPayout(recovered.port, service.dataDir)).toEqual(before);
  expect(recovered.output()).not.toContain('Demo:');
});

test('start: reports a port in use or an invalid setting in one sentence', async ({ service }) => {
  const taken = await listen(0);
  const { port } = taken.address() as { port: number };
  const second = await service.start({ PORT: `${port}` });
  expect(await second.exited).toBe(1);
  expect(second.output()).toMatch(new RegExp(`Port ${port} is taken.*PORT=\\d+ npm start`));
  taken.close();
  const wrong = await service.start({ LOG_LEVEL: 'loud' });
  expect(await wrong.exited).toBe(2);
  expect(wrong.output()).toContain('LOG_LEVEL must be one of');
});

test('next start: exits with one sentence for an invalid setting', async () => {
  const env = { ...process.env, DATABASE_URL: 'postgres://127.0.0.1/none', LOG_LEVEL: 'loud' };
  const program = startProgram([programOf('next'), 'start', '--port', `${await unusedPort()}`], env);
  try {
    expect(await program.exited).toBe(1);
    expect(program.output()).toContain('LOG_LEVEL must be one of');
  } finally {
    await program.stop();
  }
});

test('start: reports an unwritable log file in one sentence and stops the database', async ({ service }) => {
  const started = await service.start({ LOG_FILE: '/dev/null/service.log' });
  expect(await started.exited).toBe(1);
  expect(started.output()).toMatch(/^LOG_FILE: the log cannot be written to \/dev\/null\/service\.log \(/m);
  await expect(stat(postmasterFile(service.dataDir))).rejects.toThrow('ENOENT');
});
