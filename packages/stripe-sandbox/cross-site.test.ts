import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { KEYS, startTestSandbox, type TestSandbox } from './testing.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
beforeEach(() => sandbox.control('POST reset'));
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

const card = `card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2064&card[cvc]=123&key=${KEYS.publishableKey}`;
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const recorded = async () => (await sandbox.control('GET requests')).data;

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

test('the control API refuses pages and bodies that are not JSON, even with the key', async () => {
  const Authorization = `Bearer ${KEYS.secretKey}`;
  const json = { 'Content-Type': 'application/json', Authorization };
  expect((await send('/_sandbox/reset', { ...json, Origin: 'http://127.0.0.1:3000' })).status).toBe(403);
  expect((await send('/_sandbox/faults', { 'Content-Type': 'text/plain', Authorization }, '{}')).status).toBe(
    415,
  );
  expect((await send('/_sandbox/faults', json, `"${'x'.repeat(17_000)}"`)).status).toBe(413);
});
