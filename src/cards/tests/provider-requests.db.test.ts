import { expect, test } from 'vitest';
import { testService } from '#tools/testing/api.ts';
import { credentialHeaders, newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { startVictim } from './crash/victim.ts';
import { type AddCardBody, injectFault, tokenOf } from './support.ts';

const service = await testService();

/** @returns the bytes that a server with these settings sends to the provider */
async function requestsSent(env: Record<string, string>): Promise<string[]> {
  const server = await startVictim({ ...service.environment, ...env });
  try {
    const customer = await newCustomer(service.db);
    server.begin();
    await everyWay(`${server.origin}/api/schedule/v1/payment/cards`, customer);
  } finally {
    await server.end();
  }
  return server.passed
    .filter(({ peer, moment }) => peer === 'provider' && moment === 'before')
    .map(({ bytes }) => bytes.toString('latin1'));
}

/** Sends every kind of provider request that adding and removing cards uses. */
async function everyWay(url: string, customer: TestCustomer): Promise<void> {
  const headers = credentialHeaders(customer);
  const add = (token: string) =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ token, card: {} }),
    });
  const added = await add(await tokenOf(service));
  const { card } = (await added.json()) as AddCardBody;
  expect((await fetch(`${url}/${card?.uuid}`, { method: 'DELETE', headers })).status).toBe(200);
  expect((await add('pm_card_visa')).status).toBe(200);
  // The provider stores a failure for its key, so the service reads the card's state first and then uses a new key.
  const token = await tokenOf(service, '378282246310005');
  await injectFault(service, 'setupIntents.create', '500', 1);
  expect((await add(token)).status).toBe(424);
  expect((await add(token)).status).toBe(200);
}

/** Replaces what differs between two runs: IDs, and times. */
function withoutIds(request: string): string {
  return request
    .replace(/\b(tok|pm|cus)_[A-Za-z0-9]{10,}/g, '$1_…')
    .replace(/\b(pm|si|det):[0-9a-f-]{36}/g, '$1:…')
    .replace(/\bcus:\d+:\d+:[0-9a-f]{16}/g, 'cus:…')
    .replace(/customer-[0-9a-f]{10}/g, 'customer-…')
    .replace(/(customer_id\]?=)\d+/g, '$1…')
    .replace(/(customer_created_at\]?=)[\w%.-]+/g, '$1…')
    .replace(/(Content-Length: )\d+/gi, '$1…')
    .replace(/(Host: 127\.0\.0\.1:)\d+/gi, '$1…');
}

test('provider requests: own Stripe keys send the same bytes as the sandbox', async () => {
  const inSandbox = await requestsSent({ PAYMENTS: 'sandbox' });
  const withKeys = await requestsSent({ PAYMENTS: '', STRIPE_WEBHOOK_SECRET: '' });
  expect(withKeys.map(withoutIds)).toEqual(inSandbox.map(withoutIds));
  const lines = withKeys.map((request) => request.split(' HTTP/')[0]?.replace(/_[A-Za-z0-9]{10,}/g, '_…'));
  expect(lines).toEqual([
    'POST /v1/payment_methods',
    'POST /v1/customers',
    'POST /v1/setup_intents',
    'POST /v1/payment_methods/pm_…/detach',
    'GET /v1/payment_methods/pm_card_visa?expand[0]=customer',
    'POST /v1/setup_intents',
    'POST /v1/payment_methods',
    'POST /v1/setup_intents',
    'GET /v1/payment_methods/pm_…?expand[0]=customer',
    'POST /v1/setup_intents',
  ]);
  const intents = withKeys.filter((request) => request.includes('/v1/setup_intents'));
  const [intent = ''] = intents;
  const [, parameters = ''] = intent.split('\r\n\r\n');
  expect(Object.fromEntries(new URLSearchParams(parameters))).toMatchObject({
    confirm: 'true',
    usage: 'off_session',
    'automatic_payment_methods[enabled]': 'true',
    'automatic_payment_methods[allow_redirects]': 'never',
  });
  expect(parameters).not.toContain('payment_method_types');
  expect(intent).toMatch(/^Stripe-Version: 2026-10-28\.endive\r$/im);
  const keys = intents.map((request) => /^Idempotency-Key: (si:.*)\r$/im.exec(request)?.[1]);
  for (const key of keys.slice(0, -1)) expect(key).toMatch(/^si:[0-9a-f-]{36}$/);
  const [firstTry = '', nextTry] = keys.slice(-2);
  expect(nextTry).toBe(`${firstTry}:1`);
});
