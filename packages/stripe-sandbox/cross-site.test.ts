import { mkdtempSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stripe } from 'stripe';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { recordRequest } from './state/requests.ts';
import { Store, type StoredPaymentMethod, type StoredToken } from './state/store.ts';
import { KEYS, startTestSandbox, type TestSandbox } from './testing.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
beforeEach(() => sandbox.admin('POST reset'));
afterAll(() => sandbox.close());

type Received = { status: number; headers: Record<string, unknown> };

/** `fetch` sets `Host` and `Origin` itself. */
function send(path: string, headers: Record<string, string>, body = ''): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(sandbox.origin + path, { method: 'POST', headers }, (response) => {
      response
        .resume()
        .once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
    });
    sent.once('error', reject).end(body);
  });
}

const card = `card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2034&card[cvc]=123&key=${KEYS.publishableKey}`;
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const recorded = async () => (await sandbox.admin('GET requests')).data;

test.each([
  ['a foreign origin', { ...form, Origin: 'https://evil.example' }, 403],
  ['an opaque origin', { ...form, Origin: 'null' }, 403],
  ['a name that looks like ours', { ...form, Origin: 'http://localhost.evil.example' }, 403],
  ['a name that was pointed here', { ...form, Host: 'evil.example', Origin: 'http://evil.example' }, 403],
  ['a form that needs no preflight', { 'Content-Type': 'text/plain' }, 400],
])('a page cannot create a token from %s, and nothing is recorded', async (_case, headers, status) => {
  expect((await send('/v1/tokens', headers, card)).status).toBe(status);
  expect(await recorded()).toEqual([]);
});

test.each([
  ['the page', 'http://127.0.0.1:3000'],
  ['another port of this computer', 'http://localhost:8080'],
])('%s can create a token', async (_case, origin) => {
  const { status, headers } = await send('/v1/tokens', { ...form, Origin: origin }, card);
  expect([status, headers['access-control-allow-origin']]).toEqual([200, origin]);
  expect(await recorded()).toHaveLength(1);
});

test('the frames, on the sandbox’s own origin, can create a token', async () => {
  expect((await send('/v1/tokens', { ...form, Origin: sandbox.origin }, card)).status).toBe(200);
});

test('requests without a valid key are not recorded', async () => {
  expect((await send('/v1/customers', form)).status).toBe(401);
  expect(
    (await send('/v1/customers', { ...form, Authorization: 'Bearer sk_test_other' }, 'name=x')).status,
  ).toBe(401);
  expect((await send('/v1/nothing', form, 'name=x')).status).toBe(404);
  expect(await recorded()).toEqual([]);
});

test('the admin API refuses pages and bodies that are not JSON, even with the key', async () => {
  const Authorization = `Bearer ${KEYS.secretKey}`;
  const json = { 'Content-Type': 'application/json', Authorization };
  expect((await send('/_sandbox/reset', { ...json, Origin: 'http://127.0.0.1:3000' })).status).toBe(403);
  expect((await send('/_sandbox/faults', { 'Content-Type': 'text/plain', Authorization }, '{}')).status).toBe(
    415,
  );
  expect((await send('/_sandbox/faults', json, `"${'x'.repeat(17_000)}"`)).status).toBe(413);
});

test('the newest unattached payment methods and setup attempts are kept, and all attached ones', () => {
  const store = new Store(join(mkdtempSync(join(tmpdir(), 'sandbox-')), 'sandbox.sqlite'));
  store.transaction(() => {
    for (let n = 0; n < 5_100; n += 1) {
      const customer = n < 10 ? 'cus_1' : null;
      const method = { card: 'visa', isDetached: false, object: { id: `pm_${n}`, customer } };
      store.save('payment_method', method as StoredPaymentMethod);
      store.save('setup_attempt', {
        object: { id: `setatt_${n}`, customer: 'cus_1' } as Stripe.SetupAttempt,
      });
    }
    store.trim();
  });
  expect([store.list('payment_method', 'cus_1').length, store.list('payment_method').length]).toEqual([
    10, 5_010,
  ]);
  expect(store.list('setup_attempt')).toHaveLength(5_000);
  expect([store.find('payment_method', 'pm_99'), store.find('setup_attempt', 'setatt_99')]).toEqual([
    undefined,
    undefined,
  ]);
  expect(store.find('payment_method', 'pm_100')).toBeDefined();
});

test('the newest requests and tokens are kept', () => {
  const store = new Store(join(mkdtempSync(join(tmpdir(), 'sandbox-')), 'sandbox.sqlite'));
  const rows = (table: string) =>
    Number(store.database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
  store.transaction(() => {
    for (let n = 0; n < 5_100; n += 1)
      store.save('token', { card: 'visa', object: { id: `tok_${n}` } } as StoredToken);
    for (let n = 0; n < 2_100; n += 1)
      recordRequest(store, {
        id: `req_${n}`,
        at: 0,
        method: 'GET',
        path: '',
        query: '',
        body: '',
        headers: {},
        operation: 'tokens.create',
      });
  });
  expect([rows('requests'), rows('objects')]).toEqual([2_000, 5_000]);
  expect([store.find('token', 'tok_99'), store.find('token', 'tok_100')?.object.id]).toEqual([
    undefined,
    'tok_100',
  ]);
  store.close();
});
