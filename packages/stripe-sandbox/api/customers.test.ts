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

describe('customers.search', () => {
  const search = (query: string, page = {}) => sandbox.stripe.customers.search({ query, ...page });

  it('finds customers by all of their metadata, newest first, in pages, and none that were deleted', async () => {
    const { customers } = sandbox.stripe;
    const create = async (metadata: Record<string, string>) => (await customers.create({ metadata })).id;
    const [first, second, deleted] = [
      await create({ owner: '7', city: 'San José' }),
      await create({ owner: '7', city: 'San José', more: 'x' }),
      await create({ owner: '7', city: 'San José' }),
    ];
    for (const other of [{}, { owner: '7' }, { owner: '77', city: 'San José' }]) await create(other);
    await customers.del(deleted);
    const query = `metadata['owner']:'7' AND metadata["city"]:"San José"`;
    expect(await search(query)).toMatchObject({
      ...{ object: 'search_result', url: '/v1/customers/search', has_more: false, next_page: null },
      data: [{ id: second, object: 'customer' }, { id: first }],
    });
    const page = await search(query, { limit: 1 });
    expect(page).toMatchObject({ data: [{ id: second }], has_more: true, next_page: expect.any(String) });
    expect((await search(query, { expand: ['data.test_clock'] })).data).toHaveLength(2);
    const paged = await search(query, { limit: 1 }).autoPagingToArray({ limit: 10 });
    expect(paged.map(({ id }) => id)).toEqual([second, first]);
    expect((await search(`metadata['owner']:'8'`)).data).toEqual([]);
  });

  it.each([
    [{ query: '' }, 'query'],
    [{ query: `metadata['owner']` }, 'query'],
    [{ query: `metadata['owner']:'7' OR metadata['owner']:'8'` }, 'query'],
    [{ query: `email:'ada@example.com'` }, 'query'],
    [{ query: `metadata['owner']:'7'`, page: 'x' }, 'page'],
    [{ query: `metadata['owner']:'7'`, limit: 101 }, 'limit'],
  ])('refuses %j', async (params, param) => {
    expect(await refusal(sandbox.stripe.customers.search(params))).toMatchObject({ statusCode: 400, param });
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
