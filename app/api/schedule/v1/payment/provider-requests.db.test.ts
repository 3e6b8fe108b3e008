import { expect, test } from 'vitest';
import { newCustomer, testService } from '#http/testing.ts';
import { startVictim } from './crash/victim.testing.ts';
import { type AddAnswer, tokenOf } from './support.testing.ts';

const service = await testService();

/** What a server with these settings sends to the provider to add a card and to remove it, byte for byte. */
async function requestsSent(env: Record<string, string>): Promise<string[]> {
  const server = await startVictim(service.url, service.sandbox.origin, env);
  const { apiKey, apiSecret } = await newCustomer(service);
  const headers = { 'X-AUTH-APIKEY': apiKey, 'X-AUTH-APISECRET': apiSecret };
  const url = `${server.origin}/api/schedule/v1/payment/cards`;
  server.begin();
  const body = JSON.stringify({ token: await tokenOf(service, '4242424242424242'), card: {} });
  const added = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  });
  const { card } = (await added.json()) as AddAnswer;
  expect((await fetch(`${url}/${card?.uuid}`, { method: 'DELETE', headers })).status).toBe(200);
  await server.end();
  return server.passed
    .filter(({ peer, moment }) => peer === 'provider' && moment === 'before')
    .map(({ bytes }) => bytes.toString('latin1'));
}

/** What differs between any two runs: the ids of what was made, and what the SDK measured. */
function withoutIds(request: string): string {
  return request
    .replace(/\b(tok|pm|cus)_[A-Za-z0-9]{10,}/g, '$1_…')
    .replace(/\b(pm|si|det):[0-9a-f-]{36}/g, '$1:…')
    .replace(/\bcus:\d+:\d+/g, 'cus:…')
    .replace(/c\d+-\d+/g, 'c…')
    .replace(/(customer_id\]?=)\d+/g, '$1…')
    .replace(/(Content-Length: )\d+/gi, '$1…')
    .replace(/(Host: 127\.0\.0\.1:)\d+/gi, '$1…');
}

test('with keys of one’s own the provider gets the same bytes as in the sandbox', async () => {
  const inSandbox = await requestsSent({ PAYMENTS: 'sandbox' });
  const withKeys = await requestsSent({ PAYMENTS: '', STRIPE_WEBHOOK_SECRET: '' });
  expect(withKeys.map(withoutIds)).toEqual(inSandbox.map(withoutIds));
  const lines = withKeys.map((request) => request.split(' HTTP/')[0]?.replace(/_[A-Za-z0-9]{10,}/g, '_…'));
  expect(lines).toEqual([
    'POST /v1/payment_methods',
    'POST /v1/customers',
    'POST /v1/setup_intents',
    'POST /v1/payment_methods/pm_…/detach',
  ]);
  const [intent = ''] = withKeys.filter((request) => request.includes('/v1/setup_intents'));
  const [, parameters = ''] = intent.split('\r\n\r\n');
  expect(Object.fromEntries(new URLSearchParams(parameters))).toMatchObject({
    confirm: 'true',
    usage: 'off_session',
    'automatic_payment_methods[enabled]': 'true',
    'automatic_payment_methods[allow_redirects]': 'never',
  });
  expect(parameters).not.toContain('payment_method_types');
  expect(intent).toMatch(/^Stripe-Version: 2026-10-28\.endive\r$/im);
  expect(intent).toMatch(/^Idempotency-Key: si:/im);
});
