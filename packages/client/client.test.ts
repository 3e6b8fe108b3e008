import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { ScheduleClient, ScheduleError } from './index.ts';
import { retryDelayMs } from './send.ts';

type Responder = (request: IncomingMessage, response: ServerResponse) => void;
type RecordedRequest = { method: string; url: string; headers: IncomingMessage['headers']; body: string };

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Starts a server that uses the responders in order, and then repeats the last one. */
async function service(...responders: Responder[]) {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    (responders[requests.length - 1] ?? responders.at(-1))?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    requests,
    client: new ScheduleClient({ baseUrl, apiKey: 'key_test_1', apiSecret: 'secret_test_1' }),
    baseUrl,
  };
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Responder =>
  (_request, response) => {
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'X-Request-Id': 'request-1',
      ...headers,
    });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const failure = (code: number, message = 'No.') => ({ error: { code, message } });
const disconnect: Responder = (_request, response) => response.destroy();
const removed = json(200, { status: true, message: 'Removed.' });

async function errorOf(call: Promise<unknown>): Promise<ScheduleError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ScheduleError)) throw new Error(`Not a ScheduleError: ${String(error)}`);
  return error;
}

test('calls the URL of each operation with both authentication headers', async () => {
  const card = { id: 7, uuid: 'a' };
  const { requests, client } = await service(
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
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /schedule/v1/customers/detail',
    'GET /api/schedule/v1/customers/payout',
    'POST /api/schedule/v1/payment/cards',
    'DELETE /api/schedule/v1/payment/cards/a',
    'DELETE /api/schedule/v1/payment/cards/7',
  ]);
  for (const { headers } of requests)
    expect([headers['x-auth-apikey'], headers['x-auth-apisecret']]).toEqual(['key_test_1', 'secret_test_1']);
  expect(requests[1]?.headers['x-request-id']).toBe('order-12345');
  expect(requests[2]).toMatchObject({ body: '{"token":"tok_1","card":{}}' });
  expect(requests[2]?.headers['content-type']).toBe('application/json');
  expect(requests.map(({ headers }) => headers['idempotency-key'] !== undefined)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});

test('addCard returns a declined card as a result', async () => {
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
  test(`retries ${status} with the same Idempotency-Key`, async () => {
    const { requests, client } = await service(json(status, failure(status)), removed);
    await client.removeCard(1);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.headers['idempotency-key']).toBe(requests[0]?.headers['idempotency-key']);
  });
}

test('retries a broken connection with the same Idempotency-Key, and uses a new key per call', async () => {
  const { requests, client } = await service(disconnect, removed);
  await client.removeCard(1);
  await client.removeCard(1, { idempotencyKey: 'mine' });
  const keys = requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(keys).toEqual([keys[0], keys[0], 'mine']);
});

for (const status of [400, 401, 403, 404, 405, 413, 415, 422]) {
  test(`throws ${status} without a retry, with its type, details, and request ID`, async () => {
    const details = [{ param: 'token', message: 'Is required.' }];
    const { requests, client } = await service(
      json(status, {
        error: {
          ...{ code: status, message: 'No.', type: 'not_found', doc_url: 'http://x/docs/errors#not_found' },
          ...(status === 400 && { details }),
        },
      }),
    );
    const error = await errorOf(client.addCard({ token: 'x', card: {} }));
    expect(error).toMatchObject({ status, message: 'No.', requestId: 'request-1', name: 'ScheduleError' });
    expect([error.type, error.docUrl]).toEqual(['not_found', 'http://x/docs/errors#not_found']);
    expect(error.details).toEqual(status === 400 ? details : []);
    expect(requests).toHaveLength(1);
  });
}

test('throws the last error when all retries fail', async () => {
  const { requests, baseUrl } = await service(json(503, failure(503, 'Not now.')));
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's', retries: 1 });
  expect(await errorOf(client.getPayout())).toMatchObject({ status: 503, message: 'Not now.' });
  expect(requests).toHaveLength(2);
});

test('waits for Retry-After', async () => {
  const { client } = await service(json(429, failure(429), { 'Retry-After': '1' }), removed);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  await client.removeCard(1);
  const waits = timers.mock.calls.map(([, waitMs]) => waitMs ?? 0);
  timers.mockRestore();
  expect(waits.filter((waitMs) => waitMs >= 1125 && waitMs <= 1250)).toHaveLength(1);
});

test('throws instead of waiting more than a minute', async () => {
  const { requests, client } = await service(json(429, failure(429), { 'Retry-After': '3000' }));
  expect(await errorOf(client.getPayout())).toMatchObject({ status: 429, retryAfterSeconds: 3000 });
  expect(requests).toHaveLength(1);
});

test('retry delays grow, have jitter, and are not shorter than Retry-After', () => {
  for (let retried = 0; retried < 4; retried += 1) {
    const waits = Array.from({ length: 200 }, () => retryDelayMs(retried, 2));
    const delayMaxMs = 2000 + 250 * 2 ** retried;
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(2000 + 125 * 2 ** retried);
    expect(Math.max(...waits)).toBeLessThanOrEqual(delayMaxMs);
    expect(new Set(waits).size).toBeGreaterThan(100);
  }
});

test('throws an error without a status after the timeout', async () => {
  const { requests, baseUrl } = await service(() => undefined);
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's', timeoutMs: 50, retries: 1 });
  expect(await errorOf(client.getPayout())).toMatchObject({
    status: null,
    message: 'No response within 50 ms.',
  });
  expect(requests).toHaveLength(2);
});

test('aborts a call in flight and a call that waits to retry', async () => {
  const { client } = await service(() => undefined);
  const stopped = AbortSignal.timeout(30);
  await expect(client.getPayout({ signal: stopped })).rejects.toMatchObject({ name: 'TimeoutError' });
  const waiting = await service(json(429, failure(429), { 'Retry-After': '30' }));
  await expect(waiting.client.getPayout({ signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
    name: 'TimeoutError',
  });
  expect(waiting.requests).toHaveLength(1);
});

test('throws an error with the status for a response that is not JSON', async () => {
  const { client: page } = await service(json(403, '<html>'));
  expect(await errorOf(page.getPayout())).toMatchObject({
    status: 403,
    type: null,
    message: 'The service returned 403.',
  });
  const { baseUrl } = await service(json(200, '<html>'));
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's', retries: 0 });
  expect(await errorOf(client.getPayout())).toMatchObject({
    status: 502,
    message: 'The response is not JSON.',
  });
});

test('does not follow redirects with the secret', async () => {
  const other = await service(removed);
  const { baseUrl } = await service((_request, response) =>
    response.writeHead(307, { Location: other.baseUrl }).end(),
  );
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's', retries: 0 });
  expect(await errorOf(client.removeCard(1))).toMatchObject({ status: null });
  expect(other.requests).toEqual([]);
});

test('names a missing option, and does not serialize the secret', () => {
  expect(() => new ScheduleClient({ baseUrl: 'http://x', apiKey: 'k', apiSecret: '' })).toThrow(/apiSecret/);
  const client = new ScheduleClient({ baseUrl: 'http://x', apiKey: 'k', apiSecret: 'secret_test_1' });
  expect(JSON.stringify(client)).not.toContain('secret_test_1');
});
