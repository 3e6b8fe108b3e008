import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { KEYS, refusal, saving, sdk, startTestSandbox, type TestSandbox } from '../testing.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
beforeEach(() => sandbox.control('POST reset'));
afterAll(() => sandbox.close());

test('the same request with the same key replays the first response', async () => {
  const key = { idempotencyKey: 'cus:1' };
  const first = await sandbox.stripe.customers.create({ name: 'Ada' }, key);
  const second = await sandbox.stripe.customers.create({ name: 'Ada' }, key);
  expect(second).toEqual(first);
  expect(second.lastResponse.headers['idempotent-replayed']).toBe('true');
  expect(second.lastResponse.headers['original-request']).toBe(first.lastResponse.requestId);
  expect(first.lastResponse.headers['idempotent-replayed']).toBeUndefined();
  expect(await sandbox.control('GET counts')).toMatchObject({ customers: 1 });
});

test('declines and 500s are replayed', async () => {
  const { id } = await sandbox.stripe.customers.create();
  const decline = () =>
    refusal(
      sandbox.stripe.setupIntents.create(saving(id, 'pm_card_chargeDeclined'), { idempotencyKey: 'si:1' }),
    );
  const [first, second] = [await decline(), await decline()];
  expect(second.setup_intent?.id).toBe(first.setup_intent?.id);
  expect(second.headers?.['idempotent-replayed']).toBe('true');
  expect(await sandbox.control('GET counts')).toMatchObject({ setup_intents: 1 });
  await sandbox.control('POST faults', { operation: 'setupIntents.create', kind: '500' });
  const fail = () =>
    refusal(sandbox.stripe.setupIntents.create(saving(id, 'pm_card_visa'), { idempotencyKey: 'si:2' }));
  expect(await fail()).toMatchObject({ type: 'StripeAPIError', statusCode: 500 });
  expect((await fail()).headers?.['idempotent-replayed']).toBe('true');
});

test('a key is refused for other parameters and another URL', async () => {
  const key = { idempotencyKey: 'one' };
  await sandbox.stripe.customers.create({ name: 'Ada' }, key);
  const other = await refusal(sandbox.stripe.customers.create({ name: 'Bob' }, key));
  expect(other).toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 });
  const elsewhere = await refusal(
    sandbox.stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } }, key),
  );
  expect(elsewhere.message).toContain('same endpoint');
});

test('a request refused for its parameters does not use its key', async () => {
  const key = { idempotencyKey: 'free' };
  const unknown = sandbox.stripe.rawRequest('POST', '/v1/payment_methods', { tipe: 'card' }, key);
  expect((await refusal(unknown)).code).toBe('parameter_unknown');
  const missing = sandbox.stripe.rawRequest('POST', '/v1/payment_methods', { type: 'card' }, key);
  expect((await refusal(missing)).code).toBe('parameter_missing');
  const method = await sandbox.stripe.paymentMethods.create(
    { type: 'card', card: { token: 'tok_visa' } },
    key,
  );
  expect(method.object).toBe('payment_method');
});

test('resource_missing is replayed', async () => {
  const key = { idempotencyKey: 'missing' };
  const call = () =>
    refusal(sandbox.stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_1gone' } }, key));
  expect((await call()).headers?.['idempotent-replayed']).toBeUndefined();
  expect(await call()).toMatchObject({
    code: 'resource_missing',
    headers: { 'idempotent-replayed': 'true' },
  });
});

test('a key in flight returns 409, which the SDK retries', async () => {
  await sandbox.control('POST faults', { operation: 'customers.create', kind: 'hang' });
  const key = { idempotencyKey: 'busy' };
  const impatient = new AbortController();
  const first = fetch(`${sandbox.origin}/v1/customers`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${KEYS.secretKey}`, 'Idempotency-Key': key.idempotencyKey },
    signal: impatient.signal,
  });
  await expect.poll(async () => (await sandbox.control('GET faults')).data).toMatchObject([{ fired: 1 }]);
  expect(await refusal(sandbox.stripe.customers.create({}, key))).toMatchObject({
    statusCode: 409,
    code: 'idempotency_key_in_use',
  });
  const retried = sdk(sandbox.port, 5).customers.create({}, key);
  const requestCount = async () =>
    ((await sandbox.control('GET requests?operation=customers.create')).data as object[]).length;
  await expect.poll(requestCount).toBeGreaterThan(2);
  impatient.abort();
  await expect(first).rejects.toThrow();
  expect((await retried).object).toBe('customer');
  expect(await sandbox.control('GET counts')).toMatchObject({ customers: 1 });
});

test('fifty concurrent requests with one key create one customer or return 409', async () => {
  await sandbox.control('POST faults', { operation: 'customers.create', kind: 'slow', delayMs: 50 });
  const calls = Array.from({ length: 50 }, () =>
    sandbox.stripe.customers.create({}, { idempotencyKey: 'many' }),
  );
  const results = await Promise.allSettled(calls);
  const ids = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.id] : []));
  const refused = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason.statusCode] : [],
  );
  expect(new Set(ids).size).toBe(1);
  expect(refused.filter((status) => status !== 409)).toEqual([]);
  expect(await sandbox.control('GET counts')).toMatchObject({ customers: 1 });
});
