import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEYS, refusal, saving, sdk, startTestSandbox, type TestSandbox, tokenize } from '../testing.ts';

let sandbox: TestSandbox;
let customer: { id: string };
beforeAll(async () => {
  sandbox = await startTestSandbox();
  customer = await sandbox.stripe.customers.create();
});
afterAll(() => sandbox.close());

test('a used token returns token_already_used', async () => {
  const token = String((await tokenize(sandbox, { number: '4242424242424242' })).id);
  await sandbox.stripe.paymentMethods.create({ type: 'card', card: { token } });
  const error = await refusal(sandbox.stripe.paymentMethods.create({ type: 'card', card: { token } }));
  expect(error).toMatchObject({
    type: 'StripeInvalidRequestError',
    statusCode: 400,
    code: 'token_already_used',
  });
});

test('a detached payment method, or one of another customer, cannot be used', async () => {
  const method = await sandbox.stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
  const other = await sandbox.stripe.customers.create();
  const belongs = await refusal(sandbox.stripe.setupIntents.create(saving(other.id, method.id)));
  expect(belongs).toMatchObject({ statusCode: 400, code: 'resource_missing', param: 'payment_method' });
  const again = await refusal(sandbox.stripe.paymentMethods.attach(method.id, { customer: customer.id }));
  expect(again.message).toContain('has already been attached');
  expect(await sandbox.stripe.paymentMethods.detach(method.id)).toMatchObject({
    id: method.id,
    customer: null,
  });
  const twice = await refusal(sandbox.stripe.paymentMethods.detach(method.id));
  expect(twice).toMatchObject({ statusCode: 400, type: 'StripeInvalidRequestError' });
  expect(twice.message).toContain('is not attached to a customer');
  const reused = await refusal(sandbox.stripe.paymentMethods.attach(method.id, { customer: customer.id }));
  expect(reused.message).toContain('may not be used again');
  const set = await refusal(sandbox.stripe.setupIntents.create(saving(customer.id, method.id)));
  expect(set.message).toContain('may not be used again');
});

test('unknown IDs return resource_missing: 404 in the path, 400 as a parameter', async () => {
  const { stripe } = sandbox;
  const token = { type: 'card', card: { token: 'tok_1unknown' } } as const;
  const calls: [Promise<unknown>, number, string][] = [
    [stripe.customers.retrieve('cus_unknown'), 404, 'id'],
    [stripe.customers.listPaymentMethods('cus_unknown'), 404, 'customer'],
    [stripe.tokens.retrieve('tok_1unknown'), 404, 'token'],
    [stripe.paymentMethods.retrieve('pm_unknown'), 404, 'payment_method'],
    [stripe.paymentMethods.detach('pm_unknown'), 404, 'payment_method'],
    [stripe.setupIntents.retrieve('seti_unknown'), 404, 'intent'],
    [stripe.paymentMethods.create(token), 400, 'card[token]'],
    [stripe.paymentMethods.attach('pm_card_visa', { customer: 'cus_unknown' }), 400, 'customer'],
    [stripe.setupIntents.create(saving(customer.id, 'pm_unknown')), 400, 'payment_method'],
  ];
  for (const [call, status, param] of calls)
    expect(await refusal(call)).toMatchObject({ code: 'resource_missing', statusCode: status, param });
});

test('unknown and missing parameters return 400 with their name', async () => {
  const parameters = { ...saving(customer.id, 'pm_card_visa'), payment_method_kinds: ['card'] };
  const error = await refusal(sandbox.stripe.setupIntents.create(parameters));
  expect(error).toMatchObject({
    statusCode: 400,
    code: 'parameter_unknown',
    param: 'payment_method_kinds[0]',
  });
  const missing = await refusal(sandbox.stripe.rawRequest('POST', '/v1/payment_methods', { type: 'card' }));
  expect(missing).toMatchObject({ statusCode: 400, code: 'parameter_missing', param: 'card[token]' });
  const redirecting = saving(customer.id, 'pm_card_visa');
  delete redirecting.automatic_payment_methods;
  expect(await refusal(sandbox.stripe.setupIntents.create(redirecting))).toMatchObject({
    param: 'return_url',
  });
  expect(await refusal(sandbox.stripe.rawRequest('GET', '/v1/charges'))).toMatchObject({ statusCode: 404 });
});

test('401 for unknown keys, and 403 for the publishable key where it is not enough', async () => {
  const bare = await fetch(`${sandbox.origin}/v1/customers`, { method: 'POST' });
  expect(bare.status).toBe(401);
  const wrong = await refusal(sdk(sandbox.port, 0, 'sk_test_another_9876').customers.create());
  expect(wrong).toMatchObject({ type: 'StripeAuthenticationError', statusCode: 401 });
  expect(wrong.message).toMatch(/^Invalid API Key provided: sk_test_\*+9876$/);
  const browser = sdk(sandbox.port, 0, KEYS.publishableKey);
  expect(await refusal(browser.customers.create())).toMatchObject({
    statusCode: 403,
    code: 'secret_key_required',
  });
  const Origin = 'http://127.0.0.1:3000';
  const preflight = await fetch(`${sandbox.origin}/v1/tokens`, { method: 'OPTIONS', headers: { Origin } });
  expect(preflight.headers.get('access-control-allow-origin')).toBe(Origin);
  expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
});
