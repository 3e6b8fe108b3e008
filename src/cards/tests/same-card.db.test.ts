import { describe, expect, test } from 'vitest';
import { TEST_CARDS } from '#packages/stripe-sandbox/cards/test-cards.ts';
import { services } from '#src/api/services.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import { tokenHash } from '#src/tokens.ts';
import { testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import {
  add,
  attachElsewhere,
  attachedAt,
  injectFault,
  intentsOf,
  leaseRunsOut,
  paymentMethodOf,
  remove,
  shownCards,
  statesOf,
  tokenOf,
} from './support.ts';

const service = await testService();
const numbers = Object.values(TEST_CARDS)
  .flatMap(({ number, outcome }) => (outcome === 'succeeds' ? [number] : []))
  .slice(0, 11);

describe('addCard with the same card', () => {
  test('returns the same card for the same token, and 400 after its removal', async () => {
    const customer = await newCustomer(service.db);
    const token = await tokenOf(service);
    const first = await add(customer, token);
    const second = await add(customer, token);
    expect(first.json.card?.isDefault).toBe(true);
    expect(second.text).toBe(first.text);
    expect(await attachedAt(service, customer)).toHaveLength(1);
    expect((await remove(customer, first.json.card?.uuid ?? '')).status).toBe(200);
    expect((await add(customer, token)).status).toBe(400);
    expect((await add(customer, token)).status).toBe(400);
    expect(await attachedAt(service, customer)).toEqual([]);
  });

  test('returns 400 for a payment method that was on file before, and does not attach it', async () => {
    const customer = await newCustomer(service.db);
    const method = await paymentMethodOf(service, 'tok_visa');
    const { json } = await add(customer, method);
    expect((await remove(customer, json.card?.uuid ?? '')).status).toBe(200);
    expect((await add(customer, method)).status).toBe(400);
    expect(await statesOf(service, customer)).toEqual(['failed', 'removed']);
    expect(await intentsOf(service, customer)).toBe(1);
  });

  test('accepts a reusable test token again after removal', async () => {
    const customer = await newCustomer(service.db);
    const first = await add(customer, 'tok_visa');
    expect((await remove(customer, first.json.card?.id ?? 0)).status).toBe(200);
    const second = await add(customer, 'tok_visa');
    expect(second.json.status).toBe(true);
    expect(second.json.card?.uuid).not.toBe(first.json.card?.uuid);
    expect(await statesOf(service, customer)).toEqual(['active', 'removed']);
  });

  test('returns card_already_added for another token of the same number and expiry, without asking the bank', async () => {
    const customer = await newCustomer(service.db);
    const first = await add(customer, await tokenOf(service));
    const second = await add(customer, await tokenOf(service));
    expect([second.status, second.json]).toMatchObject([
      200,
      { status: false, code: 'card_already_added', card: null },
    ]);
    expect((await shownCards(customer)).map(({ id }) => id)).toEqual([first.json.card?.id]);
    expect(await attachedAt(service, customer)).toHaveLength(1);
    expect(await intentsOf(service, customer)).toBe(1);
  });

  test('does not replace a newer card of the number by an addition that goes on later', async () => {
    const customer = await newCustomer(service.db);
    const older = await tokenOf(service, '4242424242424242', 2060);
    await injectFault(service, 'setupIntents.create', '429');
    expect((await add(customer, older)).status).toBe(424);
    await service.control('DELETE faults');
    const newer = await add(customer, await tokenOf(service, '4242424242424242', 2065));
    expect(newer.json.status).toBe(true);
    await leaseRunsOut(service);
    await completeCards(services());
    expect((await shownCards(customer)).map(({ id }) => id)).toEqual([newer.json.card?.id]);
    expect((await add(customer, older)).json).toMatchObject({ status: false, code: 'card_already_added' });
    expect(await statesOf(service, customer)).toEqual(['active', 'failed']);
    expect(await attachedAt(service, customer)).toHaveLength(1);
  });

  test('has the bank check a payment method that was attached elsewhere, also after a failure of the provider', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_visa');
    const elsewhere = await paymentMethodOf(service, await tokenOf(service, '4000002760003184'));
    await attachElsewhere(service, customer, elsewhere);
    await injectFault(service, 'setupIntents.create', 'reset');
    expect((await add(customer, elsewhere)).status).toBe(424);
    await service.control('DELETE faults');
    await leaseRunsOut(service);
    await completeCards(services());
    expect(await statesOf(service, customer)).toEqual(['active', 'authenticating']);
  });

  test('returns card_already_added for a payment method that was attached elsewhere, and leaves it attached', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_visa');
    const elsewhere = await paymentMethodOf(service, 'tok_visa');
    await attachElsewhere(service, customer, elsewhere);
    expect((await add(customer, elsewhere)).json.code).toBe('card_already_added');
    expect(await attachedAt(service, customer)).toContain(elsewhere);
    expect(await statesOf(service, customer)).toEqual(['active', 'failed']);
  });

  test('returns token_invalid for a payment method whose removal waits for the provider', async () => {
    const customer = await newCustomer(service.db);
    const method = await paymentMethodOf(service, 'tok_visa');
    const { json } = await add(customer, method);
    await injectFault(service, 'paymentMethods.detach', '429', 4);
    await remove(customer, json.card?.uuid ?? '');
    expect((await add(customer, method)).status).toBe(400);
    await service.control('DELETE faults');
    expect(await statesOf(service, customer)).toEqual(['failed', 'removing']);
  });

  test('returns token_invalid for the payment method of a card that was detached, when the event was lost', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_visa');
    const [method = ''] = await attachedAt(service, customer);
    await service.control(`POST payment_methods/${method}/detach`);
    expect((await add(customer, method)).status).toBe(400);
    expect(await statesOf(service, customer)).toEqual(['active', 'failed']);
  });

  test('adds one card for ten concurrent tokens of one number', async () => {
    const customer = await newCustomer(service.db);
    const fresh = await Promise.all(Array.from({ length: 10 }, () => tokenOf(service)));
    const responses = await Promise.all(fresh.map((token) => add(customer, token)));
    expect(responses.filter(({ json }) => json.status)).toHaveLength(1);
    expect(await shownCards(customer)).toHaveLength(1);
    expect(await attachedAt(service, customer)).toHaveLength(1);
  });

  test('replaces the card when the same number has a new expiry', async () => {
    const customer = await newCustomer(service.db);
    const old = await add(customer, await tokenOf(service, '4242424242424242', 2060));
    const token = await tokenOf(service, '4242424242424242', 2065);
    const renewed = await add(customer, token, { 'Idempotency-Key': 'renewal' });
    const replaced = old.json.card?.uuid;
    expect(renewed.json).toMatchObject({ status: true, card: { expYear: '2065' }, replaced });
    expect((await add(customer, token)).text).toBe(renewed.text);
    expect((await add(customer, token, { 'Idempotency-Key': 'renewal' })).text).toBe(renewed.text);
    expect((await shownCards(customer)).map(({ expYear }) => expYear)).toEqual(['2065']);
    expect(await attachedAt(service, customer)).toHaveLength(1);
    expect((await remove(customer, old.json.card?.uuid ?? '')).status).toBe(404);
  });

  test('getCustomer shows exactly one card during a replacement', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, await tokenOf(service, '4242424242424242', 2060));
    const tokens = await Promise.all(
      [2061, 2062, 2063].map((year) => tokenOf(service, '4242424242424242', year)),
    );
    let isDone = false;
    const reading = (async () => {
      const counts = new Set<number>();
      while (!isDone) counts.add((await shownCards(customer)).length);
      return counts;
    })();
    await Promise.all(tokens.map((token) => add(customer, token)));
    isDone = true;
    expect([...(await reading)]).toEqual([1]);
    expect(await attachedAt(service, customer)).toHaveLength(1);
  });

  test('activates a card during a foreign key check of its customer', async () => {
    const customer = await newCustomer(service.db);
    await add(customer, 'tok_mastercard');
    const checker = await service.sql.reserve();
    try {
      await checker`begin`;
      await checker`
        insert into cards (customer_id, state, token_hash) values (${customer.id}, 'failed', ${tokenHash('tok_other')})`;
      expect((await add(customer, 'tok_visa')).json).toMatchObject({ status: true });
    } finally {
      await checker`rollback`;
      checker.release();
    }
  });

  test("returns 400 for another customer's payment method", async () => {
    const [customer, other] = await Promise.all([newCustomer(service.db), newCustomer(service.db)]);
    await add(other, 'tok_visa');
    const [theirs = ''] = await attachedAt(service, other);
    await service.control('DELETE requests');
    expect((await add(customer, theirs)).status).toBe(400);
    const sent = (await service.control('GET requests')).data.map(({ operation }) => operation);
    expect(sent, 'only reads it').toEqual(['paymentMethods.retrieve']);
    expect((await add(other, theirs)).json).toMatchObject({ status: false, code: 'card_already_added' });
    expect(await attachedAt(service, other)).toEqual([theirs]);
  });
});

test('addCard: returns card_limit_reached for the 21st card, also concurrently, but not for a replacement', async () => {
  const customer = await newCustomer(service.db);
  for (const number of numbers.slice(0, 9)) await add(customer, await tokenOf(service, number));
  await service.sql`
    insert into cards (customer_id, state, token_hash, fingerprint, payment_method_id)
    select ${customer.id}, 'active', sha256(n::text::bytea), 'f' || n, 'pm_of_' || ${customer.id}::text || '_' || n
    from generate_series(1, 10) n`;
  const last = await Promise.all(numbers.slice(9).map((number) => tokenOf(service, number)));
  const responses = await Promise.all(last.map((token) => add(customer, token)));
  const refusal = { status: false, code: 'card_limit_reached', card: null };
  expect(responses.filter(({ json }) => json.status)).toHaveLength(1);
  expect(responses.find(({ json }) => !json.status)?.json).toMatchObject(refusal);
  expect(await shownCards(customer)).toHaveLength(20);
  expect(await attachedAt(service, customer)).toHaveLength(10);
  const renewed = await add(customer, await tokenOf(service, '4242424242424242', 2066));
  expect(renewed.json).toMatchObject({ status: true, card: { expYear: '2066' } });
  expect(await shownCards(customer)).toHaveLength(20);
  expect(await attachedAt(service, customer)).toHaveLength(10);
});
