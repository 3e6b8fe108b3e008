import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import path from 'node:path';
import { unusedPort } from '#tools/testing/listen.ts';
import { isRunning } from '#tools/testing/processes.ts';
import {
  credentialHeaders,
  expect,
  newCustomer,
  serviceTest,
  type TestCustomer,
} from '../support/fixtures.ts';
import { type OwnService, sandboxControl, workersOf } from '../support/own-service.ts';

const callers = 500;
const cardsPath = '/api/schedule/v1/payment/cards';

/** After several ends in a row, a process is replaced after up to a minute. */
const replacement = { timeout: 90_000 };

/** A service of two processes. */
const test = serviceTest.extend({
  settings: [
    async ({ browserName: _browserName }, use) =>
      use({ WEB_CONCURRENCY: '2', METRICS_PORT: `${await unusedPort()}` }),
    { scope: 'worker' },
  ],
});

// One worker: one service for all. The last test stops it.
test.describe.configure({ mode: 'default' });

test(`addCard: ${callers} concurrent requests to two processes with one idempotency key or one token add one card`, async ({
  db,
  service,
}) => {
  test.setTimeout(180_000);
  await expectOneCard(service, await newCustomer(db), { 'Idempotency-Key': 'one' });
  await expectOneCard(service, await newCustomer(db), {});
  for (const id of workersOf(service.processId))
    expect(await cardResponseCount(id)).toBeGreaterThan(callers / 5);
});

test('METRICS_PORT: a scrape returns the last counts of a worker that does not respond, and 503 if none does', {
  tag: '@thorough',
}, async ({ service, settings }) => {
  for (const _ of [1, 2, 3, 4]) expect(await liveStatus(service)).toBe(200);
  const count = await liveCount(settings);
  expect(count).toBeGreaterThanOrEqual(4);
  const [first = 0, second = 0] = workersOf(service.processId);
  try {
    process.kill(first, 'SIGSTOP');
    expect(await liveCount(settings)).toBe(count);
    process.kill(second, 'SIGSTOP');
    expect((await scrape(settings)).status).toBe(503);
    process.kill(first, 'SIGCONT');
    await expect.poll(async () => (await scrape(settings)).status).toBe(200);
    expect(await liveCount(settings)).toBe(count);
  } finally {
    for (const id of [first, second]) process.kill(id, 'SIGCONT');
  }
});

// Other systems cannot change the limits of a running process.
if (process.platform === 'linux') {
  test('WEB_CONCURRENCY: while no process can be started, the others serve, and a killed one is replaced later', {
    tag: '@thorough',
  }, async ({ service }) => {
    test.setTimeout(180_000);
    const limitFiles = (max: number) =>
      execFileSync('prlimit', [`--pid=${service.processId}`, `--nofile=${max}:`]);
    const [first = 0, second = 0] = workersOf(service.processId);
    limitFiles(3);
    process.kill(first, 'SIGKILL');
    await expect.poll(service.output).toContain('A worker process could not be started (EMFILE)');
    expect(workersOf(service.processId)).toEqual([second]);
    limitFiles(1_000);
    await expect.poll(() => replacedCount(service), replacement).toBe(1);
    expect(workersOf(service.processId)).toHaveLength(2);
    expect(await liveStatus(service)).toBe(200);
  });
}

test('WEB_CONCURRENCY: several processes serve one port, a killed one is replaced and its counts are kept, and all stop on SIGTERM', async ({
  service,
  settings,
}) => {
  test.setTimeout(300_000);
  const [first = 0, second, ...more] = workersOf(service.processId);
  expect([second, more]).toEqual([expect.any(Number), []]);
  expect(await liveStatus(service)).toBe(200);

  const replaced = replacedCount(service);
  // One connection is handed to the process that does not respond.
  process.kill(first, 'SIGSTOP');
  const served: unknown[] = [];
  const requests = [1, 2, 3].map(async () => served.push(await liveStatus(service)));
  await expect.poll(() => served).toEqual([200, 200]);
  const count = await liveCount(settings);
  process.kill(first, 'SIGKILL');
  await expect(Promise.all(requests)).rejects.toThrow('ECONNRESET');
  await expect.poll(() => isRunning(first)).toBe(false);
  expect(await liveCount(settings)).toBe(count);
  expect(await liveStatus(service)).toBe(200);
  await expect.poll(() => replacedCount(service), replacement).toBe(replaced + 1);
  const after = workersOf(service.processId);
  expect(after).toContain(second);
  expect(after).not.toContain(first);
  // Only its replacement is left. Connections to the killed process are closed.
  expect(await liveCount(settings)).toBe(count + 1);
  process.kill(second ?? 0, 'SIGKILL');
  await expect.poll(() => liveStatus(service).catch(String)).toBe(200);
  expect(await liveCount(settings)).toBeGreaterThan(count + 1);
  await expect.poll(() => replacedCount(service), replacement).toBe(replaced + 2);

  process.kill(service.processId, 'SIGTERM');
  expect(await service.exited).toBe(0);
  expect(service.output()).toContain('Stopped');
  for (const id of [first, ...after]) expect(isRunning(id)).toBe(false);
});

/** @returns how many worker processes have been replaced by one that serves */
function replacedCount({ output }: OwnService): number {
  return output().split('Another worker process serves').length - 1;
}

/** Over a new connection. */
async function liveStatus({ url }: OwnService): Promise<number | undefined> {
  const [response] = await once(get(`${url}/api/health/live`, { agent: false }), 'response');
  return response.resume().statusCode;
}

/** @returns how many requests for `/api/health/live` the metrics count */
async function liveCount(settings: Record<string, string>): Promise<number> {
  const response = await scrape(settings);
  expect(response.status).toBe(200);
  const line = /^scheduling_request_duration_seconds_count\{operation="health.live",status="200"\} (\d+)$/m;
  return Number(line.exec(await response.text())?.[1]);
}

async function scrape({ METRICS_PORT }: Record<string, string>): Promise<Response> {
  return fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`);
}

/** All callers send the same request concurrently, and then one of them repeats it until it has been served. */
async function expectOneCard(
  service: OwnService,
  customer: TestCustomer,
  extraHeaders: Record<string, string>,
): Promise<void> {
  const headers = credentialHeaders(customer);
  const add = async () => {
    const response = await fetch(`${service.url}${cardsPath}`, {
      method: 'POST',
      headers: { ...headers, ...extraHeaders, 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: 'tok_visa', card: {} }),
    });
    const retryAfter = Number(response.headers.get('Retry-After'));
    return { status: response.status, text: await response.text(), retryAfter };
  };
  const responses = await Promise.all(Array.from({ length: callers }, add));
  // On a busy machine, statements of so many callers time out, even those of the request that adds the card.
  const addAgain = async () => {
    const response = await add();
    responses.push(response);
    return response.status;
  };
  // A key is held for up to 45 seconds.
  await expect.poll(addAgain, { timeout: 60_000 }).toBe(200);
  for (const { status, retryAfter } of responses.filter(({ status }) => status !== 200)) {
    expect([409, 503]).toContain(status);
    expect(retryAfter).toBeGreaterThan(0);
  }
  const bodies = responses.filter(({ status }) => status === 200).map(({ text }) => text);
  expect([...new Set(bodies)]).toEqual([expect.stringContaining('{"status":true')]);

  const detail = await fetch(`${service.url}/api/schedule/v1/customers/detail`, { headers });
  expect(((await detail.json()) as { customer: { cards: object[] } }).customer.cards).toHaveLength(1);
  const ask = (action: string) => sandboxControl(action, undefined, service);
  const { data } = await ask('GET customers');
  const mine = data.filter(({ email }) => email === `${customer.username}@example.com`);
  expect(mine).toHaveLength(1);
  expect(await ask(`GET customers/${mine[0]?.id}/counts`)).toMatchObject({
    setup_intents: 1,
    payment_methods_attached: 1,
  });
}

/** @returns how many requests for cards a process responded to */
async function cardResponseCount(processId: number): Promise<number> {
  const file = path.join(process.env.E2E_RESPONSES ?? '', `${processId}.jsonl`);
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line.includes(cardsPath)).length;
}
