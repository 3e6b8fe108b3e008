import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { ScheduleClient, ScheduleError } from './index.ts';
import { waitBefore } from './send.ts';

type Reply = (request: IncomingMessage, response: ServerResponse) => void;
type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A service that gives the replies one after the other, the last one for good. */
async function service(...replies: Reply[]) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    (replies[seen.length - 1] ?? replies.at(-1))?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    seen,
    client: new ScheduleClient({ baseUrl, apiKey: 'key_test_1', apiSecret: 'secret_test_1' }),
    baseUrl,
  };
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (_request, response) => {
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'X-Request-Id': 'request-1',
      ...headers,
    });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const failure = (code: number, message = 'No.') => ({ error: { code, message } });
const cut: Reply = (_request, response) => response.destroy();
const removed = json(200, { status: true, message: 'Removed.' });

async function errorOf(call: Promise<unknown>): Promise<ScheduleError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ScheduleError)) throw new Error(`Not a ScheduleError: ${String(error)}`);
  return error;
}

test('calls the four operations at their addresses, with both headers', async () => {
  const card = { id: 7, uuid: 'a' };
  const { seen, client } = await service(
    json(200, { customer: { id: 1 } }),
    json(200, { payout: { amount_cents: 5 } }),
    json(200, { status: true, message: 'Added.', card }),
    removed,
    removed,
  );
  expect(await client.getCustomer()).toEqual({ id: 1 });
  expect(await client.getPayout({ requestId: 'order-12345' })).toEqual({ amount_cents: 5 });
  expect(await client.addCard({ token: 'tok_1', card: {} })).toEqual({ added: true, card });
  expect(await client.removeCard('a')).toBeUndefined();
  await client.removeCard(7);
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /schedule/v1/customers/detail',
    'GET /api/schedule/v1/customers/payout',
    'POST /api/schedule/v1/payment/cards',
    'DELETE /api/schedule/v1/payment/cards/a',
    'DELETE /api/schedule/v1/payment/cards/7',
  ]);
  for (const { headers } of seen)
    expect([headers['x-auth-apikey'], headers['x-auth-apisecret']]).toEqual(['key_test_1', 'secret_test_1']);
  expect(seen[1]?.headers['x-request-id']).toBe('order-12345');
  expect(seen[2]).toMatchObject({ body: '{"token":"tok_1","card":{}}' });
  expect(seen[2]?.headers['content-type']).toBe('application/json');
  expect(seen.map(({ headers }) => headers['idempotency-key'] !== undefined)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});

test('a refused card is a result that says so', async () => {
  const { client } = await service(
    json(200, { status: false, message: 'Try another.', code: 'expired_card', card: null }),
  );
  expect(await client.addCard({ token: 'tok_1', card: {} })).toEqual({
    added: false,
    code: 'expired_card',
    message: 'Try another.',
  });
});

for (const status of [408, 409, 424, 429, 500, 503]) {
  test(`${status} is tried again, with the same Idempotency-Key`, async () => {
    const { seen, client } = await service(json(status, failure(status)), removed);
    await client.removeCard(1);
    expect(seen).toHaveLength(2);
    expect(seen[1]?.headers['idempotency-key']).toBe(seen[0]?.headers['idempotency-key']);
  });
}

test('a connection that breaks is tried again; two calls have two keys', async () => {
  const { seen, client } = await service(cut, removed);
  await client.removeCard(1);
  await client.removeCard(1, { idempotencyKey: 'mine' });
  const keys = seen.map(({ headers }) => headers['idempotency-key']);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(keys).toEqual([keys[0], keys[0], 'mine']);
});

for (const status of [400, 401, 403, 404, 405, 413, 415, 422]) {
  test(`${status} is thrown at once, with all that is known of it`, async () => {
    const details = [{ param: 'token', message: 'Is required.' }];
    const { seen, client } = await service(
      json(status, { error: { code: status, message: 'No.', ...(status === 400 && { details }) } }),
    );
    const error = await errorOf(client.addCard({ token: 'x', card: {} }));
    expect(error).toMatchObject({ status, message: 'No.', requestId: 'request-1', name: 'ScheduleError' });
    expect(error.details).toEqual(status === 400 ? details : []);
    expect(seen).toHaveLength(1);
  });
}

test('the last failure is thrown when the tries are used up', async () => {
  const { seen, baseUrl } = await service(json(503, failure(503, 'Not now.')));
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's', retries: 1 });
  expect(await errorOf(client.getPayout())).toMatchObject({ status: 503, message: 'Not now.' });
  expect(seen).toHaveLength(2);
});

test('Retry-After is waited for', async () => {
  const { client } = await service(json(429, failure(429), { 'Retry-After': '1' }), removed);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  await client.removeCard(1);
  const waits = timers.mock.calls.map(([, waitMs]) => waitMs ?? 0);
  timers.mockRestore();
  expect(waits.filter((waitMs) => waitMs >= 1125 && waitMs <= 1250)).toHaveLength(1);
});

test('a pause of more than a minute is left to the caller', async () => {
  const { seen, client } = await service(json(429, failure(429), { 'Retry-After': '3000' }));
  expect(await errorOf(client.getPayout())).toMatchObject({ status: 429, retryAfterSeconds: 3000 });
  expect(seen).toHaveLength(1);
});

test('waits grow, are spread, and are never shorter than Retry-After', () => {
  for (let tried = 0; tried < 4; tried += 1) {
    const waits = Array.from({ length: 200 }, () => waitBefore(tried, 2));
    const most = 2000 + 250 * 2 ** tried;
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(2000 + 125 * 2 ** tried);
    expect(Math.max(...waits)).toBeLessThanOrEqual(most);
    expect(new Set(waits).size).toBeGreaterThan(100);
  }
});

test('no answer in time is an error without a status', async () => {
  const { seen, baseUrl } = await service(() => undefined);
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's', timeoutMs: 50, retries: 1 });
  expect(await errorOf(client.getPayout())).toMatchObject({
    status: null,
    message: 'No answer within 50 ms.',
  });
  expect(seen).toHaveLength(2);
});

test('the caller can stop a call, while it runs and while it waits', async () => {
  const { client } = await service(() => undefined);
  const stopped = AbortSignal.timeout(30);
  await expect(client.getPayout({ signal: stopped })).rejects.toMatchObject({ name: 'TimeoutError' });
  const waiting = await service(json(429, failure(429), { 'Retry-After': '30' }));
  await expect(waiting.client.getPayout({ signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
    name: 'TimeoutError',
  });
  expect(waiting.seen).toHaveLength(1);
});

test('an answer that is not the service’s is an error with its status', async () => {
  const { client: page } = await service(json(403, '<html>'));
  expect(await errorOf(page.getPayout())).toMatchObject({
    status: 403,
    message: 'The service answered 403.',
  });
  const { baseUrl } = await service(json(200, '<html>'));
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's', retries: 0 });
  expect(await errorOf(client.getPayout())).toMatchObject({
    status: 502,
    message: 'The answer is not JSON.',
  });
});

test('a redirect is not followed with the secret', async () => {
  const other = await service(removed);
  const { baseUrl } = await service((_request, response) =>
    response.writeHead(307, { Location: other.baseUrl }).end(),
  );
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's', retries: 0 });
  expect(await errorOf(client.removeCard(1))).toMatchObject({ status: null });
  expect(other.seen).toEqual([]);
});

test('what it cannot do without is asked for by name, and the secret does not show', () => {
  expect(() => new ScheduleClient({ baseUrl: 'http://x', apiKey: 'k', apiSecret: '' })).toThrow(/apiSecret/);
  const client = new ScheduleClient({ baseUrl: 'http://x', apiKey: 'k', apiSecret: 'secret_test_1' });
  expect(JSON.stringify(client)).not.toContain('secret_test_1');
});
