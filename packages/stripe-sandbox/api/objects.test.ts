import Stripe from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { saving, startTestSandbox, type TestSandbox, tokenize } from '../testing.ts';
import fixtureKeys from './fixture-keys.json' with { type: 'json' };
import { API_VERSION } from './request-headers.ts';

let sandbox: TestSandbox;
let customer: Stripe.Customer;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  customer = await sandbox.stripe.customers.create({
    email: 'ada@example.com',
    name: 'Ada',
    address: { city: 'Oakland', country: 'US', line1: '1 Way', line2: '', postal_code: '94601', state: 'CA' },
    metadata: { customer: '7' },
  });
});
afterAll(() => sandbox.close());

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

test("objects have the keys of Stripe's own fixtures", async () => {
  const token = await tokenize(sandbox, { number: '4242424242424242', name: 'Ada', address_zip: '94107' });
  const method = await sandbox.stripe.paymentMethods.create({
    type: 'card',
    card: { token: String(token.id) },
  });
  const intent = await sandbox.stripe.setupIntents.create(saving(customer.id, method.id));
  await sandbox.control(`POST payment_methods/${method.id}/detach`);
  const events = (await sandbox.control('GET events')).data as { event: object }[];
  const gone = await sandbox.stripe.customers.create();
  await sandbox.control(`DELETE customers/${gone.id}`);
  const got = {
    token,
    customer,
    payment_method: method,
    setup_intent: intent,
    event: events[0]?.event,
    deleted_customer: await sandbox.stripe.customers.retrieve(gone.id),
  };
  for (const [name, object] of Object.entries(got)) {
    const shape: Shape = fixtureKeys[name as keyof typeof fixtureKeys];
    expect({ name, differences: differences(object, shape) }).toEqual({ name, differences: [] });
  }
});

test('retrieve returns what create was given', async () => {
  expect(customer).toMatchObject({
    metadata: { customer: '7' },
    address: { postal_code: '94601', line2: null },
  });
  expect(await sandbox.stripe.customers.retrieve(customer.id)).toMatchObject({ ...customer });
  const token = await tokenize(sandbox, {
    number: '4242424242424242',
    address_zip: '94107',
    address_country: 'US',
  });
  expect(await sandbox.stripe.tokens.retrieve(String(token.id))).toMatchObject({ id: token.id, used: false });
  const method = await sandbox.stripe.paymentMethods.create({
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
  expect((await sandbox.stripe.tokens.retrieve(String(token.id))).used).toBe(true);
  const intent = await sandbox.stripe.setupIntents.create({
    ...saving(customer.id, method.id),
    expand: ['payment_method'],
    metadata: { operation: '9' },
  });
  expect(intent.payment_method).toMatchObject({ id: method.id, customer: customer.id });
  expect((await sandbox.stripe.setupIntents.retrieve(intent.id)).metadata).toEqual({ operation: '9' });
  expect(intent.lastResponse.headers['stripe-version']).toBe(API_VERSION);
  expect(intent.lastResponse.requestId).toMatch(/^req_/);
  expect(API_VERSION).toBe(Stripe.API_VERSION);
});

test('customers.listPaymentMethods pages through payment methods, newest first', async () => {
  const owner = await sandbox.stripe.customers.create();
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1)
    ids.unshift((await sandbox.stripe.paymentMethods.attach('pm_card_visa', { customer: owner.id })).id);
  const first = await sandbox.stripe.customers.listPaymentMethods(owner.id, { type: 'card', limit: 2 });
  expect(first).toMatchObject({
    object: 'list',
    has_more: true,
    url: `/v1/customers/${owner.id}/payment_methods`,
  });
  const all: string[] = [];
  for await (const method of sandbox.stripe.customers.listPaymentMethods(owner.id, { limit: 2 }))
    all.push(method.id);
  expect(all).toEqual(ids);
  const before = await sandbox.stripe.customers.listPaymentMethods(owner.id, {
    ending_before: ids[3] ?? '',
    limit: 2,
  });
  expect(before.data.map(({ id }) => id)).toEqual([ids[1], ids[2]]);
});
