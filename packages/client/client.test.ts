import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  type Attempt,
  AuthenticationError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  ProviderError,
  RateLimitError,
  ScheduleClient,
  type ScheduleClientOptions,
  ScheduleError,
  ServerError,
} from './index.ts';
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
          ...{ code: status, message: 'No.', type: 'card_not_found', doc_url: 'http://x/docs/errors' },
          ...(status === 400 && { details }),
        },
      }),
    );
    const error = await errorOf(client.addCard({ token: 'x', card: {} }));
    expect(error).toMatchObject({ status, message: 'No.', requestId: 'request-1' });
    expect(error.idempotencyKey).toBe(requests[0]?.headers['idempotency-key']);
    const errorClass = { 401: AuthenticationError, 403: AuthenticationError, 404: NotFoundError }[status];
    expect(error).toBeInstanceOf(errorClass ?? InvalidRequestError);
    expect([error.type, error.docUrl]).toEqual(['card_not_found', 'http://x/docs/errors']);
    expect(error.details).toEqual(status === 400 ? details : []);
    expect(requests).toHaveLength(1);
  });
}

test('throws no NotFoundError for a 404 that is not about a card', async () => {
  const { client: wrongPath } = await service(json(404, { error: { message: 'No.', type: 'not_found' } }));
  expect(await errorOf(wrongPath.removeCard(1))).toBeInstanceOf(InvalidRequestError);
  const { client: proxy } = await service(json(404, 'default backend - 404'));
  expect(await errorOf(proxy.removeCard(1))).toBeInstanceOf(ServerError);
});

test('throws the last error when all retries fail', async () => {
  const { requests, baseUrl } = await service(json(503, failure(503, 'Not now.')));
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's', retries: 1 });
  expect(await errorOf(client.getPayout())).toMatchObject({ status: 503, message: 'Not now.' });
  expect(requests).toHaveLength(2);
});

test.each([
  [408, InvalidRequestError],
  [409, ConflictError],
  [424, ProviderError],
  [429, RateLimitError],
  [500, ServerError],
  [503, ServerError],
])('throws %i as an error of its class when no retry is left', async (status, errorClass) => {
  const { baseUrl } = await service(json(status, failure(status)));
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's', retries: 0 });
  const error = await errorOf(client.removeCard(1, { idempotencyKey: 'mine' }));
  expect(error).toBeInstanceOf(errorClass);
  expect(error).toMatchObject({ status, requestId: 'request-1', idempotencyKey: 'mine' });
});

test('waits for Retry-After', async () => {
  const { client } = await service(json(429, failure(429), { 'Retry-After': '1' }), removed);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  await client.removeCard(1);
  const waits = timers.mock.calls.map(([, waitMs]) => waitMs ?? 0);
  timers.mockRestore();
  expect(waits.filter((waitMs) => waitMs >= 1125 && waitMs <= 1250)).toHaveLength(1);
});

test('throws instead of waiting past the deadline', async () => {
  const { requests, client } = await service(json(429, failure(429), { 'Retry-After': '3000' }));
  expect(await errorOf(client.getPayout())).toMatchObject({ status: 429, retryAfterSeconds: 3000 });
  expect(requests).toHaveLength(1);
});

test('ends an attempt without a response at the deadline', async () => {
  const { baseUrl } = await service(() => undefined);
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's', deadlineMs: 200 });
  // The service does not count them, because on a busy machine the deadline can come before it has read the request.
  const onAttempt = vi.fn();
  const error = await errorOf(client.getPayout({ onAttempt }));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.message).toMatch(/^No response within \d{1,3} ms\.$/);
  expect(onAttempt).toHaveBeenCalledOnce();
});

test('a clock that is set forward while a request runs does not use up the deadline', async () => {
  const { requests, client } = await service(json(503, failure(503)), json(200, { payout: {} }));
  const startedAt = Date.now();
  let hours = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => startedAt + 3_600_000 * hours++);
  await client.getPayout();
  clock.mockRestore();
  expect(requests).toHaveLength(2);
});

test('follows a card that is in flight to its outcome, whatever the number of retries', async () => {
  const inFlight = json(409, { error: { code: 409, message: 'Wait.', type: 'idempotency_in_flight' } });
  const added = json(200, { status: true, message: 'Added.', card: { id: 7 } });
  const { requests, baseUrl } = await service(inFlight, inFlight, inFlight, added);
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's', retries: 0 });
  expect(await client.addCard({ token: 'tok_1' })).toMatchObject({ added: true });
  expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  const { baseUrl: busyUrl } = await service(inFlight, inFlight, inFlight, () => undefined);
  // Each attempt takes 30 seconds, however busy the machine is, and the deadline cuts off the fourth.
  const startedAt = performance.now();
  let attempts = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => startedAt + 30_000 * attempts);
  onTestFinished(() => clock.mockRestore());
  const onAttempt = () => {
    attempts += 1;
  };
  const options = { baseUrl: busyUrl, apiKey: 'k', apiSecret: 's', retries: 0, deadlineMs: 90_300 };
  const error = await errorOf(new ScheduleClient({ ...options, onAttempt }).addCard({ token: 'tok_1' }));
  expect([error.constructor, attempts]).toEqual([ConflictError, 4]);
});

test('undefined options have their defaults', async () => {
  const { requests, baseUrl } = await service(json(503, failure(503)), json(200, { payout: {} }));
  const options = { timeoutMs: undefined, deadlineMs: undefined, retries: undefined, fetch: undefined };
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's', ...options });
  await client.getPayout({ requestId: undefined, signal: undefined });
  expect(requests).toHaveLength(2);
});

const valid = { baseUrl: 'https://x.example', apiKey: 'k', apiSecret: 's' };
const mistakes: [string, Partial<ScheduleClientOptions>][] = [
  ['baseUrl is missing.', { baseUrl: undefined }],
  ['apiKey is missing.', { apiKey: '' }],
  ['apiSecret is missing.', { apiSecret: undefined }],
  ['baseUrl is not a URL such as', { baseUrl: 'api.example.com' }],
  ['baseUrl is not a URL such as', { baseUrl: '127.0.0.1:4500' }],
  ['baseUrl must start with https://', { baseUrl: 'http://api.example.com' }],
  ['baseUrl must start with https://', { baseUrl: 'http://127.0.0.1.example.com' }],
  ['baseUrl must start with https://', { baseUrl: 'http://localhost.example.com' }],
  ['baseUrl contains more than an origin and a path.', { baseUrl: 'https://x.example/?key=1' }],
  ['baseUrl contains more than an origin and a path.', { baseUrl: 'https://x.example/#api' }],
  ['baseUrl contains more than an origin and a path.', { baseUrl: 'https://me:pass@x.example' }],
  ['apiKey contains a character that is not printable ASCII.', { apiKey: 'key_test_1\n' }],
  ['apiSecret contains a character that is not printable ASCII.', { apiSecret: 'geheimnis…' }],
  ['retries is not an integer from 0 to 2147483647.', { retries: -1 }],
  ['retries is not an integer from 0 to 2147483647.', { retries: Number.NaN }],
  ['timeoutMs is not an integer from 1 to 2147483647.', { timeoutMs: 0 }],
  ['deadlineMs is not an integer from 1 to 2147483647.', { deadlineMs: 2 ** 31 }],
  ['deadlineMs is not an integer from 1 to 2147483647.', { deadlineMs: 1.5 }],
];
test.each(mistakes)('refuses options: %s', (message, options) => {
  expect(() => new ScheduleClient({ ...valid, ...options })).toThrow(ConfigurationError);
  expect(() => new ScheduleClient({ ...valid, ...options })).toThrow(message);
});

test('accepts http for loopback hosts only', () => {
  for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000'])
    expect(() => new ScheduleClient({ ...valid, baseUrl: `http://${host}` })).not.toThrow();
});

test('calls the operations below the path of baseUrl', async () => {
  const { requests, baseUrl } = await service(json(200, { payout: {} }));
  await new ScheduleClient({ ...valid, baseUrl: ` ${baseUrl}below/ ` }).getPayout();
  expect(requests[0]?.url).toBe('/below/api/schedule/v1/customers/payout');
});

test('refuses to run in a browser', () => {
  vi.stubGlobal('window', {});
  vi.stubGlobal('document', {});
  expect(() => new ScheduleClient(valid)).toThrow('does not run in a browser');
  vi.unstubAllGlobals();
});

test('refuses invalid IDs and keys of a call without a request', async () => {
  const { requests, client } = await service(removed);
  for (const call of [
    client.removeCard(''),
    client.removeCard(1, { idempotencyKey: 'schlüssel' }),
    client.removeCard(1, { idempotencyKey: '' }),
    client.getPayout({ requestId: 'short' }),
  ])
    expect(await errorOf(call)).toBeInstanceOf(ConfigurationError);
  expect(requests).toEqual([]);
});

test('reports every attempt with its status, request ID, and headers', async () => {
  const { baseUrl } = await service(json(503, failure(503)), disconnect, json(200, { payout: {} }));
  const attempts: Attempt[] = [];
  const onAttempt = (attempt: Attempt) => void attempts.push(attempt);
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's', onAttempt });
  await client.getPayout();
  expect(attempts).toMatchObject([
    { number: 1, method: 'GET', status: 503, requestId: 'request-1', error: { status: 503 } },
    { number: 2, status: null, requestId: null, headers: null, error: expect.any(ConnectionError) },
    { number: 3, status: 200, requestId: 'request-1', isReplay: false, error: null },
  ]);
  expect(attempts[2]?.headers?.get('content-type')).toBe('application/json');
  expect(JSON.stringify(attempts)).not.toContain('"s"');
});

test.each<[string, () => void]>([
  [
    'throws',
    () => {
      throw new Error('The log is full.');
    },
  ],
  ['rejects', async () => Promise.reject(new Error('The log is full.'))],
])('returns the outcome when onAttempt %s', async (_, onAttempt) => {
  const { requests, baseUrl } = await service(json(503, failure(503)), removed);
  await new ScheduleClient({ ...valid, baseUrl, onAttempt }).removeCard(1);
  expect(requests).toHaveLength(2);
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
  const { baseUrl } = await service(() => undefined);
  const sent = vi.fn(fetch);
  const options = { baseUrl, apiKey: 'k', apiSecret: 's', timeoutMs: 50, retries: 1, fetch: sent };
  const client = new ScheduleClient(options);
  expect(await errorOf(client.getPayout())).toMatchObject({
    status: null,
    message: 'No response within 50 ms.',
  });
  // The server may learn of a request only after the timeout.
  expect(sent).toHaveBeenCalledTimes(2);
});

test('aborts a call in flight and a call that waits to retry', async () => {
  const stop = new AbortController();
  const { client } = await service(() => stop.abort());
  await expect(client.getPayout({ signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
  for (const when of [(abort: () => void) => abort(), setImmediate]) {
    const waiting = await service(json(429, failure(429), { 'Retry-After': '30' }));
    const cancel = new AbortController();
    const onAttempt = () => void when(() => cancel.abort());
    const call = waiting.client.getPayout({ signal: cancel.signal, onAttempt });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(waiting.requests).toHaveLength(1);
  }
}, 10_000);

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
    status: 200,
    message: 'The response is not one of this API. Check baseUrl.',
  });
});

test.each<[string, unknown]>([
  ['null', null],
  ['an empty object', {}],
  ['a status that is text', { status: 'maintenance' }],
  ['a message', { message: 'OK' }],
  ['a status without a card', { status: true }],
  ['a refusal without a code', { status: false, message: 'No.' }],
])('throws a ServerError for a 200 from a proxy: %s', async (_, body) => {
  const { client } = await service(json(200, body));
  const calls = [client.getCustomer(), client.getPayout(), client.addCard({ token: 'x' })];
  for (const call of calls) expect(await errorOf(call)).toBeInstanceOf(ServerError);
  const isRemoved = (body as { status?: unknown } | null)?.status === true;
  if (!isRemoved) expect(await errorOf(client.removeCard(1))).toBeInstanceOf(ServerError);
});

test('reads a Retry-After with a date', async () => {
  const at = new Date(Date.now() + 100_000).toUTCString();
  const { baseUrl } = await service(json(503, failure(503), { 'Retry-After': at }));
  const client = new ScheduleClient({ ...valid, baseUrl, retries: 0 });
  const { retryAfterSeconds } = await errorOf(client.getPayout());
  expect(retryAfterSeconds).toBeGreaterThan(50);
  expect(retryAfterSeconds).toBeLessThanOrEqual(100);
});

test('does not follow redirects with the secret', async () => {
  const other = await service(removed);
  const { requests, baseUrl } = await service((_request, response) =>
    response.writeHead(307, { Location: other.baseUrl }).end(),
  );
  const client = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's' });
  const error = await errorOf(client.removeCard(1));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toContain(`redirects to ${other.baseUrl}. Set baseUrl`);
  expect([requests.length, other.requests]).toEqual([1, []]);
});

test('does not serialize the secret', () => {
  const client = new ScheduleClient({ ...valid, apiSecret: 'secret_test_1' });
  expect(JSON.stringify(client)).not.toContain('secret_test_1');
});
