import Stripe from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEYS, refusal, saving, sdk, startWorld, tokenize, type World } from '../testing.ts';
import fixtureKeys from './fixture-keys.json' with { type: 'json' };
import { API_VERSION } from './version.ts';

let world: World;
let customer: Stripe.Customer;
beforeAll(async () => {
  world = await startWorld();
  customer = await world.stripe.customers.create({
    email: 'ada@example.com',
    name: 'Ada',
    address: { city: 'Oakland', country: 'US', line1: '1 Way', line2: '', postal_code: '94601', state: 'CA' },
    metadata: { customer: '7' },
  });
});
afterAll(() => world.close());

/** Fields of the SDK's types that are newer than the fixtures that the key lists were taken from. */
const NEWER = ['customer_account', 'allowed_payment_method_types', 'allow_redirects', 'card'];

type Shape = { [key: string]: Shape | null };

/** @returns the paths where an object and a shape have different keys */
function differences(value: unknown, shape: Shape, path = ''): string[] {
  if (value === null || typeof value !== 'object') return [];
  const missing = Object.keys(shape).filter((key) => !(key in value));
  const added = Object.keys(value).filter((key) => !(key in shape) && !NEWER.includes(key));
  const nested = Object.entries(value).flatMap(([key, inner]) => {
    const innerShape = shape[key];
    return innerShape ? differences(inner, innerShape, `${path}${key}.`) : [];
  });
  return [...missing.map((key) => `-${path}${key}`), ...added.map((key) => `+${path}${key}`), ...nested];
}

test("objects have the keys of the provider's own fixtures", async () => {
  const token = await tokenize(world, { number: '4242424242424242', name: 'Ada', address_zip: '94107' });
  const method = await world.stripe.paymentMethods.create({
    type: 'card',
    card: { token: String(token.id) },
  });
  const intent = await world.stripe.setupIntents.create(saving(customer.id, method.id));
  await world.control(`POST payment_methods/${method.id}/detach`);
  const events = (await world.control('GET events')).data as { event: object }[];
  const gone = await world.stripe.customers.create();
  await world.control(`DELETE customers/${gone.id}`);
  const got = {
    token,
    customer,
    payment_method: method,
    setup_intent: intent,
    event: events[0]?.event,
    deleted_customer: await world.stripe.customers.retrieve(gone.id),
  };
  for (const [name, object] of Object.entries(got)) {
    const shape: Shape = fixtureKeys[name as keyof typeof fixtureKeys];
    expect({ name, differences: differences(object, shape) }).toEqual({ name, differences: [] });
  }
});

test('what was created can be read again, with what was given', async () => {
  expect(customer).toMatchObject({
    metadata: { customer: '7' },
    address: { postal_code: '94601', line2: null },
  });
  expect(await world.stripe.customers.retrieve(customer.id)).toMatchObject({ ...customer });
  const token = await tokenize(world, {
    number: '4242424242424242',
    address_zip: '94107',
    address_country: 'US',
  });
  expect(await world.stripe.tokens.retrieve(String(token.id))).toMatchObject({ id: token.id, used: false });
  const method = await world.stripe.paymentMethods.create({
    type: 'card',
    card: { token: String(token.id) },
    billing_details: { email: 'ada@example.com' },
    metadata: { operation: '9' },
  });
  expect(method.billing_details).toMatchObject({
    email: 'ada@example.com',
    address: { postal_code: '94107', country: 'US' },
  });
  expect(method).toMatchObject({
    metadata: { operation: '9' },
    customer: null,
    allow_redisplay: 'unspecified',
  });
  expect((await world.stripe.tokens.retrieve(String(token.id))).used).toBe(true);
  const intent = await world.stripe.setupIntents.create({
    ...saving(customer.id, method.id),
    expand: ['payment_method'],
    metadata: { operation: '9' },
  });
  expect(intent.payment_method).toMatchObject({ id: method.id, customer: customer.id });
  expect((await world.stripe.setupIntents.retrieve(intent.id)).metadata).toEqual({ operation: '9' });
  expect(intent.lastResponse.headers['stripe-version']).toBe(API_VERSION);
  expect(intent.lastResponse.requestId).toMatch(/^req_/);
  expect(API_VERSION).toBe(Stripe.API_VERSION);
});

test('the methods of a customer are listed, the newest first, a page at a time', async () => {
  const owner = await world.stripe.customers.create();
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1)
    ids.unshift((await world.stripe.paymentMethods.attach('pm_card_visa', { customer: owner.id })).id);
  const first = await world.stripe.customers.listPaymentMethods(owner.id, { type: 'card', limit: 2 });
  expect(first).toMatchObject({
    object: 'list',
    has_more: true,
    url: `/v1/customers/${owner.id}/payment_methods`,
  });
  const all: string[] = [];
  for await (const method of world.stripe.customers.listPaymentMethods(owner.id, { limit: 2 }))
    all.push(method.id);
  expect(all).toEqual(ids);
  const before = await world.stripe.customers.listPaymentMethods(owner.id, {
    ending_before: ids[3] ?? '',
    limit: 2,
  });
  expect(before.data.map(({ id }) => id)).toEqual([ids[1], ids[2]]);
});

test('a token works once', async () => {
  const token = String((await tokenize(world, { number: '4242424242424242' })).id);
  await world.stripe.paymentMethods.create({ type: 'card', card: { token } });
  const error = await refusal(world.stripe.paymentMethods.create({ type: 'card', card: { token } }));
  expect(error).toMatchObject({
    type: 'StripeInvalidRequestError',
    statusCode: 400,
    code: 'token_already_used',
  });
});

test('a detached method is gone for good, and one of another customer cannot be taken', async () => {
  const method = await world.stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
  const other = await world.stripe.customers.create();
  const belongs = await refusal(world.stripe.setupIntents.create(saving(other.id, method.id)));
  expect(belongs).toMatchObject({ statusCode: 400, code: 'resource_missing', param: 'payment_method' });
  const again = await refusal(world.stripe.paymentMethods.attach(method.id, { customer: customer.id }));
  expect(again.message).toContain('has already been attached');
  expect(await world.stripe.paymentMethods.detach(method.id)).toMatchObject({
    id: method.id,
    customer: null,
  });
  const twice = await refusal(world.stripe.paymentMethods.detach(method.id));
  expect(twice).toMatchObject({ statusCode: 400, type: 'StripeInvalidRequestError' });
  expect(twice.message).toContain('is not attached to a customer');
  const reused = await refusal(world.stripe.paymentMethods.attach(method.id, { customer: customer.id }));
  expect(reused.message).toContain('may not be used again');
  const set = await refusal(world.stripe.setupIntents.create(saving(customer.id, method.id)));
  expect(set.message).toContain('may not be used again');
});

test('unknown ids give resource_missing: 404 in the address, 400 as a parameter', async () => {
  const { stripe } = world;
  const token = { type: 'card', card: { token: 'tok_1unknown' } } as const;
  const calls: [Promise<unknown>, number, string][] = [
    [stripe.customers.retrieve('cus_unknown'), 404, 'id'],
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

test('parameters that the version does not have are refused by name', async () => {
  const parameters = { ...saving(customer.id, 'pm_card_visa'), payment_method_types: ['card'] };
  const error = await refusal(world.stripe.setupIntents.create(parameters));
  expect(error).toMatchObject({
    statusCode: 400,
    code: 'parameter_unknown',
    param: 'payment_method_types[0]',
  });
  const missing = await refusal(world.stripe.rawRequest('POST', '/v1/payment_methods', { type: 'card' }));
  expect(missing).toMatchObject({ statusCode: 400, code: 'parameter_missing', param: 'card[token]' });
  const redirecting = saving(customer.id, 'pm_card_visa');
  delete redirecting.automatic_payment_methods;
  expect(await refusal(world.stripe.setupIntents.create(redirecting))).toMatchObject({ param: 'return_url' });
  expect(await refusal(world.stripe.rawRequest('GET', '/v1/charges'))).toMatchObject({ statusCode: 404 });
});

test('only the configured keys open it, and the publishable one only what a browser needs', async () => {
  const bare = await fetch(`${world.origin}/v1/customers`, { method: 'POST' });
  expect(bare.status).toBe(401);
  const wrong = await refusal(sdk(world.port, 0, 'sk_test_another_9876').customers.create());
  expect(wrong).toMatchObject({ type: 'StripeAuthenticationError', statusCode: 401 });
  expect(wrong.message).toMatch(/^Invalid API Key provided: sk_test_\*+9876$/);
  const browser = sdk(world.port, 0, KEYS.publishableKey);
  expect(await refusal(browser.customers.create())).toMatchObject({
    statusCode: 403,
    code: 'secret_key_required',
  });
  const preflight = await fetch(`${world.origin}/v1/tokens`, { method: 'OPTIONS' });
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
});
