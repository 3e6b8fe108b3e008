import { expect, test } from 'vitest';
import { services } from '#src/api/services.ts';
import { syncCards } from '#src/cards/sync-cards.ts';
import { listAudit } from '#src/customers/list-audit.ts';
import { testService } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { add, attachedAt, remove, tokenOf } from './support.ts';

const service = await testService();

/** @returns the audit entries of cards, oldest first */
async function auditOf(customer: TestCustomer) {
  const entries = await listAudit(service.db, { limit: 100 });
  return entries
    .filter(({ customerId, actor }) => customerId === customer.id && actor !== 'tests')
    .map(({ actor, action, after }) => [actor, action, after])
    .reverse();
}

async function nameOf(customer: TestCustomer): Promise<string> {
  const [row] = await service.sql`select username from customers where id = ${customer.id}`;
  return `customer:${row?.username}`;
}

const card = { brand: 'visa', last4: '4242', exp_month: 12 };

test('audit: records added, replaced, and removed cards once each, without secrets', async () => {
  const customer = await newCustomer(service.db);
  const who = await nameOf(customer);
  const old = await tokenOf(service, '4242424242424242', 2060);
  await add(customer, old);
  await add(customer, old);
  await add(customer, 'tok_chargeDeclined');
  const renewed = await add(customer, await tokenOf(service, '4242424242424242', 2065));
  await add(customer, await tokenOf(service, '4242424242424242', 2065));
  const uuid = renewed.json.card?.uuid ?? '';
  for (const _ of [1, 2]) await remove(customer, uuid);
  expect(await auditOf(customer)).toEqual([
    [who, 'card.added', { ...card, exp_year: 2060, uuid: expect.any(String) }],
    [who, 'card.removed', { ...card, exp_year: 2060, uuid: expect.any(String) }],
    [who, 'card.added', { ...card, exp_year: 2065, uuid }],
    [who, 'card.removed', { ...card, exp_year: 2065, uuid }],
  ]);
});

test('audit: records a card detached by the provider with actor provider', async () => {
  const customer = await newCustomer(service.db);
  const { json } = await add(customer, await tokenOf(service));
  const [method = ''] = await attachedAt(service, customer);
  await service.control(`POST payment_methods/${method}/detach`);
  await syncCards(services(), method, { isDetached: true });
  await syncCards(services(), method, { isDetached: true });
  const after = { ...card, exp_year: 2064, uuid: json.card?.uuid };
  expect(await auditOf(customer)).toEqual([
    [await nameOf(customer), 'card.added', after],
    ['provider', 'card.removed', after],
  ]);
});
