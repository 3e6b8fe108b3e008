import { readFile } from 'node:fs/promises';
import path from 'node:path';
import getPort from 'get-port';
import { isRunning } from '#tools/testing/processes.ts';
import { expect, newCustomer, serviceTest, type TestCustomer } from '../support/fixtures.ts';
import { type OwnService, sandboxControl, workersOf } from '../support/own-service.ts';

const callers = 500;
const cardsPath = '/api/schedule/v1/payment/cards';

/** A service of two processes. */
const test = serviceTest.extend({
  settings: [
    async ({ browserName: _browserName }, use) =>
      use({ WEB_CONCURRENCY: '2', METRICS_PORT: `${await getPort()}` }),
    { scope: 'worker' },
  ],
});

// One worker: one service for both. The last test stops it.
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

test('WEB_CONCURRENCY: several processes serve one port, a killed one is replaced, and all stop on SIGTERM', async ({
  service,
  settings,
}) => {
  test.setTimeout(120_000);
  const live = async () => (await fetch(`${service.url}/api/health/live`)).status;
  const [first = 0, second, ...more] = workersOf(service.processId);
  expect([second, more]).toEqual([expect.any(Number), []]);
  expect(await live()).toBe(200);

  const metrics = await (await fetch(`http://127.0.0.1:${settings.METRICS_PORT}/metrics`)).text();
  expect(metrics).toContain(
    'scheduling_request_duration_seconds_count{operation="health.live",status="200"} 1',
  );

  process.kill(first, 'SIGKILL');
  await expect.poll(service.output).toContain('Starting another one');
  expect(await live()).toBe(200);
  await expect.poll(() => workersOf(service.processId)).toHaveLength(2);
  const after = workersOf(service.processId);
  expect(after).toContain(second);
  expect(after).not.toContain(first);
  // Only its replacement is left. Connections to the killed process are closed.
  process.kill(second ?? 0, 'SIGKILL');
  await expect.poll(() => live().catch(String)).toBe(200);
  await expect.poll(() => workersOf(service.processId)).toHaveLength(2);

  process.kill(service.processId, 'SIGTERM');
  expect(await service.exited).toBe(0);
  expect(service.output()).toContain('Stopped');
  for (const id of [first, ...after]) expect(isRunning(id)).toBe(false);
});

/** All callers send the same request concurrently, and then one of them repeats it until it has been served. */
async function expectOneCard(
  service: OwnService,
  { apiKey, apiSecret, username }: TestCustomer,
  extraHeaders: Record<string, string>,
): Promise<void> {
  const headers = { 'X-AUTH-APIKEY': apiKey, 'X-AUTH-APISECRET': apiSecret };
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
  const mine = data.filter(({ email }) => email === `${username}@example.com`);
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
