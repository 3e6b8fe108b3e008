import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusal, startTestSandbox, type TestSandbox } from '../testing.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

describe('customers.del', () => {
  it('deletes a customer, whose payment methods keep its ID but cannot be used', async () => {
    const { stripe } = sandbox;
    const { id } = await stripe.customers.create();
    const method = await stripe.paymentMethods.attach('pm_card_visa', { customer: id });
    expect(await stripe.customers.del(id)).toMatchObject({ id, object: 'customer', deleted: true });
    expect((await stripe.paymentMethods.retrieve(method.id)).customer).toBe(id);
    expect(await refusal(stripe.customers.del(id))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    });
    expect(await refusal(stripe.customers.listPaymentMethods(id))).toMatchObject({ statusCode: 404 });
    expect(await refusal(stripe.setupIntents.create({ customer: id }))).toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
    });
    const other = await stripe.customers.create();
    const attached = await refusal(stripe.paymentMethods.attach(method.id, { customer: other.id }));
    expect(attached.message).toContain('already been attached');
  });
});

describe('customers.create', () => {
  it.each([
    ['ada@example', 'email_invalid'],
    ['ada..byron@example.com', 'email_invalid'],
    ['ada byron@example.com', 'email_invalid'],
    ['adä@example.com', 'email_invalid'],
    [`${'a'.repeat(501)}@example.com`, undefined],
  ])('refuses the email %s', async (email, code) => {
    const error = await refusal(sandbox.stripe.customers.create({ email }));
    expect(error).toMatchObject({ statusCode: 400, param: 'email', code });
  });

  it('limits names and metadata', async () => {
    const { customers } = sandbox.stripe;
    const keys = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, 'x']));
    const refused = [
      { name: 'x'.repeat(257) },
      { metadata: keys },
      { metadata: { ['k'.repeat(41)]: 'x' } },
      { metadata: { key: 'x'.repeat(501) } },
    ];
    for (const parameters of refused)
      expect(await refusal(customers.create(parameters))).toMatchObject({ statusCode: 400 });
    expect((await customers.create({ name: 'x'.repeat(256) })).name).toHaveLength(256);
  });
});
