import { expect, test } from 'vitest';
import { services } from '#src/api/services.ts';
import { exportCustomer } from '#src/customers/export-customer.ts';
import { testService } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { syncCards } from '../sync-cards.ts';
import { add, endChallenge, shownCards, tokenOf } from './support.ts';

const service = await testService();

const tokenWithZip = (number: string) => tokenOf(service, number, 2064, '94107');

async function storedCheck({ id }: TestCustomer): Promise<unknown> {
  const [row] = await service.sql`select postal_code_check as check from cards where customer_id = ${id}`;
  return row?.check;
}

test.each([
  ['4242424242424242', 'pass'],
  ['4000000000000036', 'fail'],
  ['4000000000000044', 'unavailable'],
])('addCard: stores the check of the postal code of %s as %s', async (number, check) => {
  const customer = await newCustomer(service.db);
  await add(customer, await tokenWithZip(number));
  expect(await storedCheck(customer)).toBe(check);
  expect(JSON.stringify(await shownCards(customer)), 'only pages show it').not.toMatch(/check/i);
  const pieces: string[] = [];
  await exportCustomer(service.db, customer.username, async (text) => void pieces.push(text));
  expect(JSON.parse(pieces.join(''))).toMatchObject({ cards: [{ postal_code_check: check }] });
});

test('addCard: stores no check of a postal code that nobody entered', async () => {
  const customer = await newCustomer(service.db);
  await add(customer, 'tok_visa');
  expect(await storedCheck(customer)).toBeNull();
});

test('addCard, 3-D Secure: stores the check of the postal code after the authentication', async () => {
  const customer = await newCustomer(service.db);
  const token = await tokenWithZip('4000002500003155');
  const { setupIntentId } = await add(customer, token);
  expect(await storedCheck(customer)).toBe('unchecked');
  await endChallenge(service, setupIntentId);
  await add(customer, token);
  expect(await storedCheck(customer)).toBe('pass');
});

test('syncCards: takes over the check of the postal code', async () => {
  const customer = await newCustomer(service.db);
  await add(customer, await tokenWithZip('4000000000000036'));
  const [card] = await service.sql`
    update cards set postal_code_check = 'pass' where customer_id = ${customer.id} returning payment_method_id as id`;
  await syncCards(services(), String(card?.id));
  expect(await storedCheck(customer)).toBe('fail');
});
