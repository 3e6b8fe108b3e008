import type { Stripe } from 'stripe';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { refusal, saving, sdk, startTestSandbox, type TestSandbox } from '../testing.ts';

let sandbox: TestSandbox;
let customer: string;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
beforeEach(async () => {
  await sandbox.control('POST reset');
  customer = (await sandbox.stripe.customers.create()).id;
});
afterAll(() => sandbox.close());

const create = (retries = 0, key = 'si:1', options: Stripe.RequestOptions = {}) =>
  sdk(sandbox.port, retries).setupIntents.create(saving(customer, 'pm_card_visa'), {
    ...options,
    idempotencyKey: key,
  });
/** @returns the error of a call that fails with the fault */
const failureOf = (kind: string) => refusal(create(0, 'si:1', kind === 'hang' ? { timeout: 500 } : {}));
const fault = (kind: string, more: object = {}) =>
  sandbox.control('POST faults', { operation: 'setupIntents.create', kind, ...more });
const attached = async () =>
  (await sandbox.control(`GET customers/${customer}/counts`)).payment_methods_attached;

test.each([
  ['400', 'StripeInvalidRequestError', 400, 0],
  ['401', 'StripeAuthenticationError', 401, 0],
  ['403', 'StripePermissionError', 403, 0],
  ['500', 'StripeAPIError', 500, 0],
  ['500_after_commit', 'StripeAPIError', 500, 1],
  ['429', 'StripeRateLimitError', 429, 0],
  ['reset', 'StripeConnectionError', undefined, 0],
  ['hang', 'StripeConnectionError', undefined, 0],
  ['broken_body', 'StripeAPIError', undefined, 1],
  ['drop_after_commit', 'StripeConnectionError', undefined, 1],
])('the fault %s is a %s in the SDK', async (kind, type, statusCode, isAttached) => {
  // The SDK tries a closed connection again even where it is told to try nothing again.
  await fault(kind, { times: 2 });
  const error = await failureOf(kind);
  expect(error.type).toBe(type);
  expect(error.statusCode).toBe(statusCode);
  expect(await attached()).toBe(isAttached);
});

test.each(['401', '403', '429', 'reset', 'hang', 'broken_body', 'drop_after_commit'])(
  'after the fault %s, a retry with the same key saves one card',
  async (kind) => {
    await fault(kind, { times: 2 });
    await failureOf(kind);
    await sandbox.control('DELETE faults');
    expect((await create()).status).toBe('succeeded');
    expect(await attached()).toBe(1);
    expect(await sandbox.control('GET counts')).toMatchObject({ setup_intents: 1 });
  },
);

test.each(['reset', 'drop_after_commit'])('the retry of the SDK recovers from one %s', async (kind) => {
  await fault(kind);
  expect((await create(1)).status).toBe('succeeded');
  expect(await attached()).toBe(1);
});

test('a stored 500 is replayed for its key only', async () => {
  await fault('500_after_commit');
  await refusal(create(0, 'si:1'));
  expect((await refusal(create(1, 'si:1'))).statusCode).toBe(500);
  expect((await create(0, 'si:1:2')).status).toBe('succeeded');
});

test('slow completes after the client disconnects', async () => {
  await fault('slow', { delayMs: 60_000 });
  const impatient = new AbortController();
  const body = new URLSearchParams({
    customer,
    payment_method: 'pm_card_visa',
    confirm: 'true',
    return_url: 'http://127.0.0.1',
  });
  const call = fetch(`${sandbox.origin}/v1/setup_intents`, {
    method: 'POST',
    headers: { Authorization: 'Bearer sk_test_sdk1234' },
    body,
    signal: impatient.signal,
  });
  await expect.poll(async () => (await sandbox.control('GET faults')).data).toMatchObject([{ fired: 1 }]);
  impatient.abort();
  await expect(call).rejects.toThrow();
  expect(await attached()).toBe(0);
  await sandbox.control('DELETE faults');
  await expect.poll(attached).toBe(1);
});

test('faults apply to one operation, after and for a number of calls', async () => {
  await fault('429', { times: 2, after: 1 });
  await sandbox.stripe.customers.create();
  expect((await create(0, 'a')).status).toBe('succeeded');
  expect((await refusal(create(0, 'b'))).statusCode).toBe(429);
  expect((await refusal(create(0, 'c'))).statusCode).toBe(429);
  expect((await create(0, 'd')).status).toBe('succeeded');
  expect((await sandbox.control('GET faults')).data).toMatchObject([
    { kind: '429', times: 0, after: 0, fired: 2 },
  ]);
});

test('the control API returns 400 for unknown input and 401 without the secret key', async () => {
  await expect(sandbox.control('POST faults', { operation: 'charges.create', kind: '500' })).rejects.toThrow(
    '400',
  );
  await expect(fault('explode')).rejects.toThrow('400');
  await expect(sandbox.control('GET nothing')).rejects.toThrow('404');
  expect((await fetch(`${sandbox.origin}/_sandbox/faults`)).status).toBe(401);
});

test('requests are recorded without card details, tokens, and keys', async () => {
  await sandbox.control('DELETE requests');
  await create(0, 'si:seen');
  const body = new URLSearchParams({
    'card[number]': '4242424242424242',
    'card[exp_month]': '1',
    'card[exp_year]': '64',
    'card[cvc]': '987',
  });
  const headers = { Authorization: 'Bearer pk_test_sdk1234' };
  const token = await (await fetch(`${sandbox.origin}/v1/tokens`, { method: 'POST', headers, body })).json();
  await sandbox.stripe.paymentMethods.create({ type: 'card', card: { token: token.id } });
  const { data } = await sandbox.control('GET requests');
  expect(data).toMatchObject([
    {
      method: 'POST',
      path: '/v1/setup_intents',
      operation: 'setupIntents.create',
      body: `customer=${customer}&payment_method=pm_card_visa&confirm=true&usage=off_session&automatic_payment_methods[enabled]=true&automatic_payment_methods[allow_redirects]=never`,
      headers: {
        'idempotency-key': 'si:seen',
        'stripe-version': '2026-10-28.endive',
        authorization: 'Bearer sk_test_[redacted]',
      },
    },
    { operation: 'tokens.create' },
    { operation: 'paymentMethods.create', body: 'type=card&card[token]=tok_[redacted]' },
  ]);
  // Random IDs and keys may contain the digits of a security code by chance, but not as a word.
  for (const secret of ['4242424242424242', /\b987\b/, token.id, 'sdk1234'])
    expect(JSON.stringify(data)).not.toMatch(secret);
});
