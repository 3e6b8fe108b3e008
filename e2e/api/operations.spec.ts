import type { ScheduleError } from '#packages/client/index.ts';
import { pathTo } from '#src/api/operation.ts';
import { operations } from '#src/api/operations/index.ts';
import { errorBody, normalizeError } from '#tools/testing/normalize.ts';
import { addTestCard, expect, newCustomer, newEntry, test } from '../support/fixtures.ts';
import { sandboxControl } from '../support/own-service.ts';

const detail = '/schedule/v1/customers/detail';
const cards = '/api/schedule/v1/payment/cards';
const addVisa = { token: 'tok_visa', card: { addressCountry: 'US', addressZip: '94103' } };

const statusOf = (call: Promise<unknown>) =>
  call.then(
    () => 200,
    (error: ScheduleError) => error.status,
  );

for (const operation of operations) {
  test(`${operation.id}: returns 401, 403, and 405`, async ({ api, customer }) => {
    const { method } = operation;
    const path = pathTo(operation, operation.docs.sample);
    const nobody = await api(method, path);
    expect([nobody.status, normalizeError(nobody.json)]).toEqual([
      401,
      errorBody('authentication_required', 'Authentication required.'),
    ]);
    expect(nobody.headers['www-authenticate']).toBeTruthy();
    const unknownKey = await api(method, path, { as: { ...customer, apiKey: 'key_test_unknown' } });
    expect([unknownKey.status, normalizeError(unknownKey.json)]).toEqual([
      403,
      errorBody('key_unknown', 'Username could not be found.'),
    ]);
    const wrongSecret = await api(method, path, { as: { ...customer, apiSecret: 'secret_test_wrong' } });
    expect(wrongSecret.headers['server-timing']).toMatch(/^total;dur=[\d.]+$/);
    expect([wrongSecret.status, normalizeError(wrongSecret.json)]).toEqual([
      403,
      errorBody('secret_invalid', 'Invalid credentials.'),
    ]);
    const wrongMethod = await api('PATCH', path);
    expect([wrongMethod.status, wrongMethod.headers.allow]).toEqual([405, expect.stringContaining(method)]);
    const options = await api('OPTIONS', path);
    expect([options.status, options.headers.allow]).toEqual([204, wrongMethod.headers.allow]);
    for (const response of [nobody, unknownKey, wrongSecret, wrongMethod, options]) {
      expect(response.headers['x-request-id']).toBeTruthy();
      expect(response.headers['access-control-allow-origin']).toBeUndefined();
    }
  });
}

for (const { id, method, docs, ...operation } of operations) {
  test(`${id}: returns 400, 421, and 431`, { tag: '@host' }, async ({ api, customer: as }) => {
    const path = pathTo(operation, docs.sample);
    for (const [status, headers] of [
      [400, { Host: 'not a host' }],
      [421, { Host: 'shop.example' }],
      [431, { 'X-Note': 'x'.repeat(20_000) }],
    ] as const) {
      const response = await api(method, path, { as, headers });
      expect([response.status, response.json]).toEqual([
        status,
        { error: expect.objectContaining({ code: status }) },
      ]);
    }
  });
}

test('getCustomer: returns the record with its city and cards', async ({ clientOf, customer }) => {
  const { city, ...record } = await clientOf(customer).getCustomer();
  expect(record).toMatchObject({
    username: customer.username,
    api_key: customer.apiKey,
    status: 'Active',
    is_active: true,
    cards: [],
  });
  expect(city).toMatchObject({
    slug: customer.city.slug,
    timezone: 'America/Los_Angeles',
    base_price: 8.99,
  });
  const ring = JSON.parse(city.polygon_points) as [number, number][];
  expect(ring.at(-1)).toEqual(ring[0]);
  expect(ring[0]?.[0]).toBeGreaterThan(37);
  expect(JSON.parse(city.delivery_prices)).toMatchObject({ items: [{ mile: 3, amount: 0 }, {}, {}] });
});

test('getCustomer: HEAD has no body, and a matching If-None-Match returns 304', async ({ api, customer }) => {
  const { headers } = await api('GET', detail, { as: customer });
  const unchanged = await api('GET', detail, {
    as: customer,
    headers: { 'If-None-Match': headers.etag ?? '' },
  });
  expect([unchanged.status, unchanged.text]).toEqual([304, '']);
  const head = await api('HEAD', detail, { as: customer });
  expect([head.status, head.text, head.headers.etag]).toEqual([200, '', headers.etag]);
});

test("getPayout: returns this month in the city's time zone, without deliveries scheduled for next month", async ({
  clientOf,
  customer,
  db,
}) => {
  const client = clientOf(customer);
  const before = await client.getPayout();
  expect(before).toMatchObject({
    amount: 0,
    amount_cents: 0,
    currency: 'USD',
    timezone: 'America/Los_Angeles',
  });
  expect(before.period_start).toMatch(/^\d{4}-\d\d-01T00:00:00-0[78]:00$/);
  const end = new Date(before.period_end);
  await newEntry(db, customer, { amountCents: 1250n });
  await newEntry(db, customer, { amountCents: 5n, takesEffectAt: new Date(end.getTime() - 1) });
  await newEntry(db, customer, { amountCents: 99_999n, takesEffectAt: end });
  expect(await client.getPayout()).toMatchObject({ amount: 12.55, amount_cents: 1255 });
});

test('addCard, getCustomer, removeCard: add, list, add again, remove, 404', async ({
  clientOf,
  customer,
}) => {
  const client = clientOf(customer);
  const card = await addTestCard(client, addVisa.token, addVisa.card);
  expect(card).toMatchObject({
    brand: 'visa',
    last4: '4242',
    funding: 'credit',
    isApplePayCard: false,
    addressZip: '94103',
  });
  expect(await addTestCard(client, addVisa.token, addVisa.card)).toEqual(card);
  expect((await client.getCustomer()).cards).toEqual([card]);
  await client.removeCard(card.uuid);
  expect((await client.getCustomer()).cards).toEqual([]);
  expect(await statusOf(client.removeCard(card.id))).toBe(404);
});

test("removeCard: returns the same 404 for another customer's card and an unknown card", async ({
  api,
  clientOf,
  customer,
  db,
}) => {
  const other = await newCustomer(db, { city: customer.city });
  const theirs = await addTestCard(clientOf(other));
  const missing = await api('DELETE', `${cards}/999999999`, { as: customer });
  for (const selector of [theirs.id, theirs.uuid]) {
    const response = await api('DELETE', `${cards}/${selector}`, { as: customer });
    expect([response.status, normalizeError(response.json)]).toEqual([404, normalizeError(missing.json)]);
  }
  expect((await clientOf(other).getCustomer()).cards).toHaveLength(1);
});

test('addCard: a declined card is 200 with status false', async ({ api, clientOf, customer }) => {
  const body = { ...addVisa, token: 'tok_chargeDeclined' };
  const refused = {
    message: 'Your bank declined this card. Try another card, or call the number on the back of it.',
    code: 'card_declined',
  };
  expect(await clientOf(customer).addCard(body)).toEqual({ added: false, ...refused });
  const response = await api('POST', cards, { as: customer, body });
  expect([response.status, response.json]).toEqual([200, { status: false, ...refused, card: null }]);
});

test('addCard: returns 400, 413, 415, and 422 with the invalid parameter', async ({ api, customer }) => {
  const post = (body: object | string, headers: Record<string, string> = {}) =>
    api('POST', cards, { as: customer, body, headers });
  expect((await post('{')).status).toBe(400);
  const invalid = await post({ card: { expMonth: '13' } });
  expect(invalid.json).toMatchObject({
    error: { code: 400, type: 'invalid_input', details: [{ param: 'card.expMonth' }, { param: 'token' }] },
  });
  expect((await post({ ...addVisa, note: '4242-4242-4242-4242' })).status).toBe(400);
  expect((await post({ ...addVisa, note: 'x'.repeat(17_000) })).status).toBe(413);
  expect((await post(addVisa, { 'Content-Type': 'text/plain' })).status).toBe(415);
  expect((await api('DELETE', `${cards}/x`, { as: customer })).status).toBe(400);
  const key = { 'Idempotency-Key': 'spec' };
  const first = await post(addVisa, key);
  const again = await post(addVisa, key);
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  expect((await post({ ...addVisa, token: 'tok_amex' }, key)).status).toBe(422);
});

test('stripeWebhook: payment_method.detached removes the card', async ({ clientOf, customer }) => {
  const client = clientOf(customer);
  await addTestCard(client);
  const { data } = await sandboxControl('GET customers');
  const mine = data.find(({ email }) => email === `${customer.username}@example.com`);
  const { data: methods } = await sandboxControl(`GET payment_methods?customer=${mine?.id}&attached=true`);
  await sandboxControl(`POST payment_methods/${methods[0]?.id}/detach`);
  await expect.poll(async () => (await client.getCustomer()).cards).toEqual([]);
});

test('stripeWebhook: returns 400 without a valid signature', async ({ api }) => {
  const response = await api('POST', '/api/webhooks/stripe', {
    body: { id: 'evt_1', type: 'customer.deleted' },
  });
  expect([response.status, response.json]).toMatchObject([
    400,
    { error: { code: 400, type: 'signature_invalid' } },
  ]);
});

for (const path of [
  '/api/nothing',
  '/api/schedule/v1/customers/detail/',
  '/schedule/v1/customers/detail/',
  '/schedule/v1/nothing.json',
  '/SCHEDULE/V1/nothing',
  '/schedule/v2/x/',
]) {
  test(`${path}: returns 404 with the API's headers`, async ({ api }) => {
    const { status, json, headers } = await api('GET', path);
    expect([status, json]).toMatchObject([404, { error: { code: 404, type: 'not_found' } }]);
    expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers['x-frame-options']).toBeUndefined();
  });
}

test('health and openapi.json: public', async ({ api }) => {
  expect((await api('GET', '/api/health/live')).json).toEqual({ status: 'ok' });
  const ready = async () => (await api('GET', '/api/health/ready')).json;
  await expect.poll(ready).toEqual({ status: 'ok', mode: 'sandbox' });
  const document = (await api('GET', '/openapi.json')).json as { openapi: string; paths: object };
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(new Set(Object.keys(document.paths))).toEqual(new Set(operations.map(({ path }) => path)));
});
