import { describe, expect, it, test } from 'vitest';
import { testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { add, expectSettled, injectFault } from './support.ts';

const service = await testService();

test('addCard: adds a customer’s first card while an import of its charges runs', async () => {
  const customer = await newCustomer(service.db);
  const added = await service.sql.begin(async (sql) => {
    // What the foreign key of an entry locks until the import's transaction ends.
    await sql`select from customers where id = ${customer.id} for key share`;
    return add(customer, 'tok_visa');
  });
  expect(added).toMatchObject({ status: 200, json: { status: true } });
  expect(await expectSettled(service, customer)).toBe(1);
});

describe('addCard after the customer changed', () => {
  it.each([
    { column: 'email', value: 'changed@example.com' },
    { column: 'name', value: 'Changed Name' },
  ])('adds the card after a new $column and a lost customers.create response', async ({ column, value }) => {
    const customer = await newCustomer(service.db);
    await injectFault(service, 'customers.create', 'drop_after_commit');
    expect((await add(customer, 'tok_visa')).status).toBe(424);
    await service.sql`update customers set ${service.sql({ [column]: value })} where id = ${customer.id}`;
    expect((await add(customer, 'tok_visa')).json).toMatchObject({ status: true });
    expect((await add(customer, 'tok_mastercard')).json).toMatchObject({ status: true });
    expect(await expectSettled(service, customer)).toBe(2);
  });

  it('adds the card without the email when the provider refuses the email', async () => {
    const customer = await newCustomer(service.db);
    await service.sql`update customers set email = ${`"quoted ${customer.id}"@localhost`} where id = ${customer.id}`;
    expect((await add(customer, 'tok_visa')).json).toMatchObject({ status: true });
    expect(await expectSettled(service, customer)).toBe(1);
  });
});
