import { describe, expect, test } from 'vitest';
import { newCustomer, testService } from '#http/testing.ts';
import { add, attachedAt, remove, shownCards, statesOf, tokenOf } from './support.testing.ts';

const service = await testService();

const declined = 'Your bank declined this card. Try another card, or call the number on the back of it.';
const needsBank = "Your bank wants to confirm this card, which can't be done here yet. Try another card.";
const noFunds = "This card doesn't have enough funds for the check your bank makes. Try another card.";

const accepted: [number: string, brand: string, funding: string][] = [
  ['4242424242424242', 'visa', 'credit'],
  ['4000056655665556', 'visa', 'debit'],
  ['5555555555554444', 'mastercard', 'credit'],
  ['5200828282828210', 'mastercard', 'debit'],
  ['5105105105105100', 'mastercard', 'prepaid'],
  ['378282246310005', 'amex', 'credit'],
  ['6011111111111117', 'discover', 'credit'],
  ['3056930009020004', 'diners', 'credit'],
  ['3566002020360505', 'jcb', 'credit'],
  ['6200000000000005', 'unionpay', 'credit'],
  ['4000000000000341', 'visa', 'credit'],
];

const refused: [number: string, code: string, message: RegExp | string][] = [
  ['4000000000000002', 'card_declined', declined],
  ['4000000000009995', 'card_declined', noFunds],
  ['4000000000009987', 'card_declined', declined],
  ['4000000000009979', 'card_declined', declined],
  ['4000000000006975', 'card_declined', /too often/],
  ['4000000000000069', 'expired_card', /expired/],
  ['4000000000000127', 'incorrect_cvc', /security code/],
  ['4000000000000119', 'processing_error', /couldn't process/],
  ['4000002500003155', 'authentication_required', needsBank],
  ['4000002760003184', 'authentication_required', needsBank],
];

describe('test numbers', () => {
  test.each(accepted)('%s is added as %s %s', async (number, brand, funding) => {
    const customer = await newCustomer(service);
    const claimed = {
      brand: 'American Express',
      funding: 'crypto',
      last4: '0000',
      expMonth: '1',
      expYear: '99',
    };
    const { status, json } = await add(customer, await tokenOf(service, number), {}, claimed);
    expect(status).toBe(200);
    const last4 = number.slice(-4);
    expect(json).toMatchObject({
      status: true,
      card: { brand, funding, last4, expMonth: '12', expYear: '2034' },
    });
    expect(await shownCards(customer)).toHaveLength(1);
    expect(await attachedAt(service, customer)).toHaveLength(1);
  });

  test.each(refused)('%s is refused with %s', async (number, code, message) => {
    const customer = await newCustomer(service);
    const { status, json } = await add(customer, await tokenOf(service, number));
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: false, code, card: null });
    expect(json.message).toMatch(message);
    expect(await shownCards(customer)).toEqual([]);
    expect(await attachedAt(service, customer)).toEqual([]);
    expect(await statesOf(service, customer)).toEqual(['failed']);
  });
});

const tokens: [token: string, outcome: string][] = [
  ['tok_visa', 'visa credit'],
  ['tok_visa_debit', 'visa debit'],
  ['tok_mastercard', 'mastercard credit'],
  ['tok_mastercard_debit', 'mastercard debit'],
  ['tok_mastercard_prepaid', 'mastercard prepaid'],
  ['tok_amex', 'amex credit'],
  ['tok_discover', 'discover credit'],
  ['tok_diners', 'diners credit'],
  ['tok_jcb', 'jcb credit'],
  ['tok_unionpay', 'unionpay credit'],
  ['pm_card_visa', 'visa credit'],
  ['pm_card_mastercard', 'mastercard credit'],
  ['tok_chargeDeclined', 'card_declined'],
  ['tok_visa_chargeDeclined', 'card_declined'],
  ['tok_visa_chargeDeclinedInsufficientFunds', 'card_declined'],
  ['tok_visa_chargeDeclinedLostCard', 'card_declined'],
  ['tok_visa_chargeDeclinedStolenCard', 'card_declined'],
  ['tok_visa_chargeDeclinedFraudulent', 'card_declined'],
  ['tok_chargeDeclinedExpiredCard', 'expired_card'],
  ['tok_chargeDeclinedIncorrectCvc', 'incorrect_cvc'],
  ['tok_chargeDeclinedProcessingError', 'processing_error'],
  ['pm_card_visa_chargeDeclined', 'card_declined'],
];

test.each(tokens)('test token %s: %s', async (token, outcome) => {
  const customer = await newCustomer(service);
  const { status, json } = await add(customer, token);
  expect(status, JSON.stringify(json)).toBe(200);
  const card = json.card as { brand: string; funding: string } | null;
  expect(card ? `${card.brand} ${card.funding}` : json.code).toBe(outcome);
});

describe('the same card again', () => {
  test('the same token gives the same card and the same answer; after removal it counts as used', async () => {
    const customer = await newCustomer(service);
    const token = await tokenOf(service, '4242424242424242');
    const first = await add(customer, token);
    const second = await add(customer, token);
    expect(second.text).toBe(first.text);
    expect(await attachedAt(service, customer)).toHaveLength(1);
    expect((await remove(customer, first.json.card?.uuid ?? '')).status).toBe(200);
    expect((await add(customer, token)).status).toBe(400);
    expect((await add(customer, token)).status).toBe(400);
    expect(await attachedAt(service, customer)).toEqual([]);
  });

  test('a reusable test token stands for a fresh one after removal', async () => {
    const customer = await newCustomer(service);
    const first = await add(customer, 'tok_visa');
    expect((await remove(customer, first.json.card?.id ?? 0)).status).toBe(200);
    const second = await add(customer, 'tok_visa');
    expect(second.json.status).toBe(true);
    expect(second.json.card?.uuid).not.toBe(first.json.card?.uuid);
    expect(await statesOf(service, customer)).toEqual(['active', 'removed']);
  });

  test('another token of the same number and expiry is refused, and nothing more is attached', async () => {
    const customer = await newCustomer(service);
    const first = await add(customer, await tokenOf(service, '4242424242424242'));
    const second = await add(customer, await tokenOf(service, '4242424242424242'));
    expect([second.status, second.json]).toMatchObject([
      200,
      { status: false, code: 'card_already_added', card: null },
    ]);
    expect((await shownCards(customer)).map(({ id }) => id)).toEqual([first.json.card?.id]);
    expect(await attachedAt(service, customer)).toHaveLength(1);
  });

  test('ten tokens of one number at once: one card, and the provider has just that one', async () => {
    const customer = await newCustomer(service);
    const fresh = await Promise.all(Array.from({ length: 10 }, () => tokenOf(service, '4242424242424242')));
    const answers = await Promise.all(fresh.map((token) => add(customer, token)));
    expect(answers.filter(({ json }) => json.status)).toHaveLength(1);
    expect(await shownCards(customer)).toHaveLength(1);
    expect(await attachedAt(service, customer)).toHaveLength(1);
  });

  test('the same number with a new expiry takes the place of the old card', async () => {
    const customer = await newCustomer(service);
    const old = await add(customer, await tokenOf(service, '4242424242424242', 2030));
    const renewed = await add(customer, await tokenOf(service, '4242424242424242', 2035));
    expect(renewed.json).toMatchObject({ status: true, card: { expYear: '2035' } });
    expect((await shownCards(customer)).map(({ expYear }) => expYear)).toEqual(['2035']);
    expect(await attachedAt(service, customer)).toHaveLength(1);
    expect((await remove(customer, old.json.card?.uuid ?? '')).status).toBe(404);
  });

  test('while one expiry takes the place of another, every read shows exactly one card', async () => {
    const customer = await newCustomer(service);
    await add(customer, await tokenOf(service, '4242424242424242', 2030));
    const tokens = await Promise.all(
      [2031, 2032, 2033].map((year) => tokenOf(service, '4242424242424242', year)),
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

  test('somebody else’s payment method is as unknown as one that was never made', async () => {
    const [customer, other] = await Promise.all([newCustomer(service), newCustomer(service)]);
    await add(other, 'tok_visa');
    const [theirs = ''] = await attachedAt(service, other);
    expect((await add(customer, theirs)).status).toBe(400);
    expect((await add(other, theirs)).json).toMatchObject({ status: false, code: 'card_already_added' });
    expect(await attachedAt(service, other)).toEqual([theirs]);
  });
});

test('the 21st card is refused, also when several come at once', async () => {
  const customer = await newCustomer(service);
  const numbers = accepted.map(([number]) => number);
  for (const number of numbers.slice(0, 10)) await add(customer, await tokenOf(service, number));
  // The sandbox knows eleven good numbers: the rest of the twenty are rows like any other.
  await service.sql`
    insert into cards (customer_id, state, token_hash, fingerprint, payment_method_id)
    select ${customer.id}, 'active', sha256(n::text::bytea), 'f' || n, 'pm_of_' || ${customer.id}::text || '_' || n
    from generate_series(1, 10) n`;
  const late = await add(customer, await tokenOf(service, '4000000000000341'));
  expect([late.status, late.json]).toMatchObject([
    200,
    { status: false, code: 'card_limit_reached', card: null },
  ]);
  expect(await shownCards(customer)).toHaveLength(20);
  expect(await attachedAt(service, customer)).toHaveLength(10);
});
