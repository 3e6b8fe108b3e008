import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { problemExample } from '#src/api/openapi-responses.ts';
import { addCard } from '#src/api/operations/add-card.ts';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import type { ProblemCode } from '#src/errors.ts';
import { refuseUnparsed } from '#src/server/parse-errors.ts';
import { call, signIn, type TestResponse, testService } from '#tools/testing/api.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { listen } from '#tools/testing/listen.ts';
import { normalizeError } from '#tools/testing/normalize.ts';
import { startProxy } from '#tools/testing/proxy.ts';

const stripeWebhook = { method: 'POST', path: '/api/webhooks/stripe' } as const;

const database = await testDatabase();
const proxy = await startProxy('database', new URL(database.url));
const service = await testService({
  DATABASE_URL: proxy.url.href,
  LIMIT_REQUESTS_PER_MINUTE: '5',
  LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: '1',
  LIMIT_DECLINES_PER_HOUR: '1',
  LIMIT_NEW_CARDS_PER_HOUR: '2',
});

const isRetryable = (status: number) => [409, 424, 429, 503].includes(status);

/** The body. A response to a request that can be retried says when. */
function bodyOf({ status, headers, json }: TestResponse): unknown {
  expect([status, Number(headers.get('retry-after')) > 0]).toEqual([status, isRetryable(status)]);
  return normalizeError(json);
}

const add = async (as: TestCustomer, token: string, headers = {}) =>
  bodyOf(await call(addCard, as, { body: { token, card: {} }, headers }));
const read = async (as: TestCustomer | null, headers = {}) =>
  bodyOf(await call(getCustomer, as, { headers }));

async function timedOut(): Promise<unknown> {
  const server = createServer({
    headersTimeout: 50,
    requestTimeout: 100,
    connectionsCheckingInterval: 10,
  });
  server.on('clientError', (error, socket) => void refuseUnparsed(error, socket));
  const socket = connect(await listen(server), '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\n'));
  const [, body = ''] = (await text(socket)).split('\r\n\r\n');
  server.close();
  return normalizeError(JSON.parse(body));
}

/** The second of two requests, sent while the provider is slow with the first. */
async function inFlight(headers: Record<string, string>): Promise<unknown> {
  const customer = await newCustomer(service.db);
  await service.control('POST faults', { operation: 'setupIntents.create', kind: 'slow', delayMs: 9_000 });
  const first = add(customer, 'tok_visa', headers);
  const reached = async () => (await service.control('GET faults')).data.map(({ fired }) => fired);
  await expect.poll(reached, { interval: 20 }).toEqual([1]);
  const second = await add(customer, 'tok_visa', headers);
  await service.control('DELETE faults');
  expect(await first).toMatchObject({ status: true });
  return second;
}

async function crossSite(): Promise<unknown> {
  const Cookie = await signIn(await newCustomer(service.db));
  return read(null, { Cookie, 'Sec-Fetch-Site': 'cross-site' });
}

async function overLimits() {
  const [busy, guessing, declined, adding] = [
    await newCustomer(service.db),
    await newCustomer(service.db),
    await newCustomer(service.db),
    await newCustomer(service.db),
  ];
  for (let count = 0; count < 5; count += 1) await read(busy);
  await read({ ...guessing, apiSecret: 'secret_test_wrong' });
  await add(declined, 'tok_chargeDeclined');
  for (const token of ['tok_visa', 'tok_mastercard']) await add(adding, token);
  return {
    too_many_requests: await read(busy),
    too_many_failures: await read({ ...guessing, apiSecret: 'secret_test_wrong' }),
    too_many_declines: await add(declined, 'tok_visa'),
    too_many_new_cards: await add(adding, 'tok_amex'),
  };
}

async function providerFails(): Promise<unknown> {
  await service.control('POST faults', { operation: 'setupIntents.create', kind: '500', times: 2 });
  const response = await add(await newCustomer(service.db), 'tok_visa');
  await service.control('DELETE faults');
  return response;
}

/** The database does not allow the service to write cards. */
async function internalError(customer: TestCustomer): Promise<unknown> {
  const { sql, url } = database;
  await sql`revoke insert on cards from ${sql(new URL(url).username)}`;
  return add(customer, 'tok_visa');
}

test('every response to a fault or a limit equals the documented example', async () => {
  const customer = await newCustomer(service.db);
  const responses: Partial<Record<ProblemCode, unknown>> = {
    account_disabled: await read(await newCustomer(service.db, { status: 'Inactive' })),
    cross_site: await crossSite(),
    signature_invalid: normalizeError((await call(stripeWebhook, null, { body: {} })).json),
    request_timeout: await timedOut(),
    card_in_flight: await inFlight({}),
    idempotency_in_flight: await inFlight({ 'Idempotency-Key': 'order-71-card' }),
    provider_unavailable: await providerFails(),
    ...(await overLimits()),
    internal: await internalError(customer),
  };
  await proxy.close();
  responses.unavailable = await read(customer);
  for (const [code, body] of Object.entries(responses))
    expect(body).toEqual(problemExample(code as ProblemCode));
});
