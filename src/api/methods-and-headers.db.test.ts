import { gunzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { cspReportPath } from '#src/api/csp-report.ts';
import { addCard } from '#src/api/operations/add-card.ts';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { getPayout } from '#src/api/operations/get-payout.ts';
import { operations } from '#src/api/operations/index.ts';
import { removeCard } from '#src/api/operations/remove-card.ts';
import { handleApiRequest, isApiPath, nextHandlers } from '#src/api/router.ts';
import { services } from '#src/api/services.ts';
import { injectFault } from '#src/cards/tests/support.ts';
import { call, testService } from '#tools/testing/api.ts';
import { credentialHeaders, newCards, newCity, newCustomer, toothedRing } from '#tools/testing/factories.ts';
import { normalizeError } from '#tools/testing/normalize.ts';

const service = await testService();
const customer = await newCustomer(service.db);

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

for (const operation of operations) {
  test(`${operation.id}: returns 405 with Allow for other methods and 204 for OPTIONS, without credentials`, async () => {
    const allow = operation.method === 'GET' ? 'GET, HEAD, OPTIONS' : `${operation.method}, OPTIONS`;
    const options = await call({ ...operation, method: 'OPTIONS' }, null);
    expect([options.status, options.headers.get('allow'), options.text]).toEqual([204, allow, '']);
    for (const method of methods.filter((candidate) => !allow.includes(candidate))) {
      const response = await call({ ...operation, method }, null);
      expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
      if (method !== 'HEAD') expect(response.json).toMatchObject({ error: { code: 405 } });
      expect(response.headers.get('x-request-id')).toBeTruthy();
    }
  });
}

test.each([
  '/api',
  '/api/nothing',
  '/api/v1',
  '/api/schedule/v1/customers/detail/',
  '/api/schedule/v1/customers/%64etail',
  '/api//schedule/v1/customers/detail',
  '/API/schedule/v1/customers/detail',
  '/schedule',
  '/schedule/v2/customers/detail',
  '/SCHEDULE/v1/customers/detail',
  '/schedule/v1/payment/cards/',
])('%s is 404 in JSON for every method', async (path) => {
  for (const method of methods) {
    const response = await call({ method, path }, customer);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    if (method !== 'HEAD') expect(response.json).toMatchObject({ error: { code: 404 } });
  }
});

test.each([
  ['/api', true],
  ['/api/docs', true],
  ['/API/v1', true],
  ['/schedule/v1', true],
  ['/apis', false],
  ['/scheduled', false],
  ['/docs/api', false],
  ['/', false],
])('%s belongs to the API: %s', (path, expected) => {
  expect(isApiPath(path)).toBe(expected);
});

test('plain next start: the API responds to every method', () => {
  expect(Object.keys(nextHandlers)).toEqual(methods);
});

test('readiness: returns 200 with the mode, and 503 once the service is stopping', async () => {
  const target = { method: 'GET', path: '/api/health/ready' };
  // On a busy machine, a check can take longer than it may.
  await expect.poll(async () => (await call(target, null)).json).toEqual({ status: 'ok', mode: 'sandbox' });
  const live = await call({ method: 'GET', path: '/api/health/live' }, null);
  expect([live.status, live.json]).toEqual([200, { status: 'ok' }]);
  const error = vi.spyOn(services().log, 'error');
  services().stopping.abort();
  expect((await call(target, null)).status).toBe(503);
  const cause = expect.objectContaining({ message: 'The service is stopping.' });
  expect(error).toHaveBeenCalledWith(expect.objectContaining({ error: cause }), 'request');
  await service.restart();
});

test.each([
  ['GET', '/api/health/live', 'debug', 'health.live'],
  ['GET', '/api/health/ready', 'debug', 'health.ready'],
  ['POST', '/api/webhooks/stripe', 'info', 'stripeWebhook'],
  ['POST', cspReportPath, 'info', 'cspReport'],
  ['OPTIONS', getCustomer.path, 'info', 'options'],
  ['PUT', getCustomer.path, 'info', 'method_not_allowed'],
  ['GET', '/api/nothing', 'info', 'not_found'],
] as const)('request log: %s %s is logged at the level %s as %s', async (method, path, level, operation) => {
  const log = vi.spyOn(services().log, level);
  const logged = async () => {
    await call({ method, path }, null);
    return log.mock.calls;
  };
  // Repeated, because on a busy machine a check can take longer than it may, which is logged as a failure.
  await expect.poll(logged).toContainEqual([expect.objectContaining({ operation, method }), 'request']);
});

test('request log: has the cause of a failure of the payment provider and of a fault of ours, and none of a refusal', async () => {
  const { log } = services();
  const [warn, info, failed] = [vi.spyOn(log, 'warn'), vi.spyOn(log, 'info'), vi.spyOn(log, 'error')];
  await injectFault(service, 'setupIntents.create', '500');
  const body = { token: 'tok_visa', card: {} };
  expect((await call(addCard, await newCustomer(service.db), { body })).status).toBe(424);
  await service.control('DELETE faults');
  const cause = expect.objectContaining({ reason: 'provider_failed' });
  const line = {
    error: expect.objectContaining({ message: 'unavailable: provider_failed', cause }),
    provider: expect.arrayContaining([expect.objectContaining({ status: 500 })]),
  };
  expect(warn).toHaveBeenCalledWith(expect.objectContaining(line), 'request');
  await injectFault(service, 'setupIntents.create', '400', 1);
  expect((await call(addCard, await newCustomer(service.db), { body })).status).toBe(500);
  const fault = expect.objectContaining({ kind: 'misuse' });
  expect(failed).toHaveBeenCalledWith(expect.objectContaining({ error: fault }), 'request');
  expect((await call(getCustomer, null)).status).toBe(401);
  expect(info).toHaveBeenCalledWith(expect.not.objectContaining({ error: expect.anything() }), 'request');
});

test("X-Request-Id: keeps the caller's valid id", async () => {
  const idOf = async (requestId: string) =>
    (await call(getCustomer, customer, { headers: { 'X-Request-Id': requestId } })).headers.get(
      'x-request-id',
    );
  for (const valid of ['order-2026.11:7_a', 'x'.repeat(8), 'x'.repeat(64)])
    expect(await idOf(valid)).toBe(valid);
  for (const insane of [
    'short',
    'x'.repeat(7),
    'x'.repeat(65),
    'with space in it',
    '{"json":true}',
    '4242424242424242',
  ]) {
    expect(await idOf(insane)).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test.each([
  [200, getCustomer, customer, {}],
  [304, getCustomer, customer, { 'If-None-Match': '*' }],
  [204, { ...getCustomer, method: 'OPTIONS' }, null, {}],
  [401, getCustomer, null, {}],
  [404, { method: 'GET', path: '/api/nothing' }, null, {}],
  [405, { ...getCustomer, method: 'PATCH' }, null, {}],
  [400, { method: 'POST', path: '/api/webhooks/stripe' }, null, {}],
  [200, { method: 'GET', path: '/api/health/live' }, null, {}],
])('security headers: in every response, such as %i', async (status, target, as, sent) => {
  const response = await call(target, as, { headers: sent });
  expect(response.status).toBe(status);
  const hasBody = status !== 204 && status !== 304;
  const headers = Object.fromEntries(response.headers);
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': as ? 'private, no-cache' : 'no-store',
  });
  expect(headers).not.toHaveProperty('strict-transport-security');
  expect(headers['content-type']).toBe(hasBody ? 'application/json; charset=utf-8' : undefined);
});

test('Server-Timing: has the time that an operation took', async () => {
  expect((await call(getPayout, customer)).headers.get('server-timing')).toMatch(/^total;dur=\d+(\.\d)?$/);
});

test('getCustomer, getPayout: return 304 for a matching If-None-Match, after authentication', async () => {
  for (const operation of [getCustomer, getPayout]) {
    const first = await call(operation, customer);
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    expect(first.headers.get('vary')).toBe('X-AUTH-APIKEY, X-AUTH-APISECRET, Cookie');
    for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await call(operation, customer, { headers: { 'If-None-Match': ifNoneMatch } });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    for (const ifNoneMatch of ['"other"', '"other,*,another"', etag.replaceAll('"', '')]) {
      expect((await call(operation, customer, { headers: { 'If-None-Match': ifNoneMatch } })).status).toBe(
        200,
      );
    }
    const refused = await call(operation, null, { headers: { 'If-None-Match': etag } });
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([401, 'no-store']);
    const head = await call({ ...operation, method: 'HEAD' }, customer);
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag]);
  }
});

test('getCustomer: a long body is compressed for a client that accepts gzip', async () => {
  const owner = await newCustomer(service.db, {
    city: await newCity(service.db, { ring: toothedRing() }),
  });
  const read = (headers: Record<string, string>) => {
    const init = { headers: { ...credentialHeaders(owner), ...headers } };
    return handleApiRequest(new Request(`http://localhost${getCustomer.path}`, init));
  };
  const plain = await read({});
  const etag = plain.headers.get('etag');
  const text = await plain.text();
  const vary = 'Accept-Encoding, X-AUTH-APIKEY, X-AUTH-APISECRET, Cookie';
  expect([plain.headers.get('vary'), plain.headers.get('content-encoding')]).toEqual([vary, null]);
  for (const accepted of ['gzip', 'gzip, deflate, br', 'br;q=1, GZIP; q=0.5', '*']) {
    const response = await read({ 'Accept-Encoding': accepted });
    const { headers } = response;
    expect([headers.get('content-encoding'), headers.get('etag'), headers.get('vary')], accepted).toEqual([
      'gzip',
      `W/${etag}`,
      vary,
    ]);
    const body = Buffer.from(await response.arrayBuffer());
    expect(body.length).toBeLessThan(text.length / 2);
    expect(gunzipSync(body).toString()).toBe(text);
  }
  for (const refused of [
    'br',
    'gzip;q=0',
    'br, gzip; q=0.0',
    'x-gzip',
    'gzip;q=0, *',
    '*, GZIP;q=0',
    '*;q=0',
  ])
    expect((await read({ 'Accept-Encoding': refused })).headers.get('content-encoding'), refused).toBeNull();
  const known = await read({ 'Accept-Encoding': 'gzip', 'If-None-Match': `W/${etag}` });
  expect([known.status, known.headers.get('content-encoding'), await known.text()]).toEqual([304, null, '']);
});

test('getCustomer: lists the active cards from the oldest to the newest', async () => {
  const owner = await newCustomer(service.db);
  await newCards(service.owner, owner, 3);
  const { json } = await call(getCustomer, owner);
  const ids = (json as unknown as { customer: { cards: { id: number }[] } }).customer.cards.map(
    ({ id }) => id,
  );
  expect(ids).toHaveLength(3);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
});

test.each(['/api/schedule/v1', '/schedule/v1', '/api/v1'])(
  'getPayout: is served below %s',
  async (prefix) => {
    const canonical = await call(getPayout, customer);
    const response = await call({ method: 'GET', path: `${prefix}/customers/payout` }, customer);
    expect([response.status, response.text]).toEqual([200, canonical.text]);
  },
);

test('getCustomer: returns 200 with exactly the documented fields, in order', async () => {
  const { json } = await call(getCustomer, customer);
  const { customer: record } = json as unknown as { customer: Record<string, unknown> & { city: object } };
  expect(Object.keys(json)).toEqual(['customer']);
  expect(Object.keys(record).join(' ')).toBe(
    'id username email is_active status is_email_confirmed client_ip created_at updated_at api_key first_name last_name name country_code phone roles profile_type cards city',
  );
  expect(Object.keys(record.city).join(' ')).toBe(
    'id name slug base_price delivery_prices latitude longitude county_name timezone is_active is_discharge_single_ride_active polygon_points return_ride_limit_on_mile is_flat_app_active is_places_app_active is_delivery_app_active',
  );
  expect(record).toMatchObject({
    api_key: customer.apiKey,
    is_active: true,
    status: 'Active',
    roles: ['ROLE_CUSTOMER'],
    client_ip: '127.0.0.1',
    city: { base_price: 8.99, latitude: '37.5' },
  });
  expect(String(record.created_at)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
});

type Bad = {
  name: string;
  body: unknown;
  /** 400 by default. */
  status?: number;
  params?: string[];
  headers?: Record<string, string>;
};
const good = { token: 'tok_visa', card: {} };
const nested = (json: string, depth: number) => '['.repeat(depth) + json + ']'.repeat(depth);
const bodies: Bad[] = [
  { name: 'malformed JSON', body: '{"token":' },
  { name: 'nothing', body: '' },
  { name: 'null', body: 'null', params: ['body'] },
  { name: 'an array', body: [], params: ['body'] },
  { name: 'no fields', body: {}, params: ['token'] },
  { name: 'a token of a wrong type', body: { ...good, token: 7 }, params: ['token'] },
  { name: 'a token of a wrong form', body: { ...good, token: 'src_1' }, params: ['token'] },
  { name: 'SQL as a token', body: { ...good, token: "tok_'; DROP TABLE cards; --" }, params: ['token'] },
  { name: 'a script as a token', body: { ...good, token: '<script>alert(1)</script>' }, params: ['token'] },
  { name: 'an endless token', body: { ...good, token: `tok_${'a'.repeat(300)}` }, params: ['token'] },
  {
    name: 'wrong types in the card',
    body: { ...good, card: { last4: 4242, isApplePayCard: 'yes', expMonth: true } },
    params: ['card.last4', 'card.isApplePayCard', 'card.expMonth'],
  },
  {
    name: 'impossible values in the card',
    body: { ...good, card: { last4: '42', expMonth: '13', expYear: '203' } },
    params: ['card.last4', 'card.expMonth', 'card.expYear'],
  },
  { name: 'a card number', body: { ...good, note: '4242 4242 4242 4242' } },
  { name: 'a card number as a number', body: '{"token":"tok_visa","card":{},"n":4242424242424242}' },
  {
    name: 'a card number with dashes, deep inside',
    body: { ...good, a: [{ b: 'pay 3782-822463-10005 now' }] },
  },
  { name: 'nothing but 8,000 arrays in each other', body: nested('0', 8_000), params: ['body'] },
  {
    name: '7,500 arrays in each other in a field',
    body: `{"token":${nested('0', 7_500)}}`,
    params: ['token'],
  },
  {
    name: 'a card number in 7,500 arrays in each other',
    body: `{"token":"tok_visa","note":${nested('"4242 4242 4242 4242"', 7_500)}}`,
  },
  { name: 'a card number as a key', body: { ...good, '4000056655665556': 1 } },
  { name: 'a token the provider does not know', body: { ...good, token: 'tok_unknownToken' } },
  { name: 'too much', body: { ...good, note: 'x'.repeat(17_000) }, status: 413 },
  { name: 'another media type', body: good, status: 415, headers: { 'Content-Type': 'text/plain' } },
  { name: 'an empty idempotency key', body: good, headers: { 'Idempotency-Key': '' } },
  { name: 'an endless idempotency key', body: good, headers: { 'Idempotency-Key': 'k'.repeat(256) } },
  { name: 'an idempotency key beyond ASCII', body: good, headers: { 'Idempotency-Key': 'ké' } },
];

for (const { name, body, status = 400, params, headers } of bodies) {
  test(`addCard: returns ${status} for a body with ${name}`, async () => {
    const response = await call(addCard, customer, { body, headers: headers ?? {} });
    expect([response.status, response.json]).toMatchObject([status, { error: { code: status } }]);
    const { error } = response.json as unknown as {
      error: { request_id: string; details?: { param: string; message: string }[] };
    };
    expect(error.details?.map(({ param }) => param)).toEqual(params);
    expect(response.text.replace(error.request_id, '')).not.toMatch(/DROP|script|4242|expected|Unexpected/);
  });
}

test('addCard: checks credentials, media type, and size in this order (401, 415, 413)', async () => {
  const huge = 'x'.repeat(20_000);
  const asText = { 'Content-Type': 'text/plain' };
  expect((await call(addCard, null, { body: huge, headers: asText })).status).toBe(401);
  expect((await call(addCard, customer, { body: huge, headers: asText })).status).toBe(415);
  expect((await call(addCard, customer, { body: huge })).status).toBe(413);
});

test('addCard: accepts any text as text, or returns 400', async () => {
  const take = (text: string) => {
    const card = {
      brand: text,
      funding: text.slice(0, 20),
      addressCountry: text,
      addressZip: text.slice(0, 20),
    };
    return call(addCard, customer, { body: { token: 'tok_visa', card } });
  };
  for (const text of ["'; DROP TABLE cards; --", '<script>alert(1)</script>', '\u202e', '😀']) {
    expect([text, (await take(text)).status]).toEqual([text, 200]);
  }
  for (const text of ['a\u0000b', 'a\u001b[31m', '\ud800'])
    expect([text, (await take(text)).status]).toEqual([text, 400]);
  expect((await call(getCustomer, customer)).status).toBe(200);
});

test("removeCard: returns 400 for a malformed card id, and the same 404 for an unknown id and another customer's card", async () => {
  const other = await newCustomer(service.db);
  const added = await call(addCard, other, { body: good });
  const theirs = added.json as unknown as { card: { id: number; uuid: string } };
  const remove = (selector: string) =>
    call({ method: 'DELETE', path: `/api/schedule/v1/payment/cards/${selector}` }, customer);
  for (const bad of ['x', '-1', '1.5', "1'%20OR%20'1'='1", '%zz', '1e3', '%3Cscript%3E']) {
    expect([bad, (await remove(bad)).status]).toEqual([bad, 400]);
  }
  const missing = await remove('00000000-0000-4000-8000-000000000000');
  expect(missing.status).toBe(404);
  for (const unknown of [
    '0',
    '999999',
    '2147483648',
    '9'.repeat(60),
    String(theirs.card.id),
    theirs.card.uuid,
  ]) {
    const response = await remove(unknown);
    expect([response.status, normalizeError(response.json)]).toEqual([404, normalizeError(missing.json)]);
  }
  expect((await call(removeCard, other, { params: { uuid: theirs.card.uuid.toUpperCase() } })).status).toBe(
    200,
  );
});
