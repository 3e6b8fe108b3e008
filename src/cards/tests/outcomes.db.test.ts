import { describe, expect, test } from 'vitest';
import {
  cardByNumber,
  cardByTestId,
  TEST_CARDS,
  type TestCard,
  testCard,
} from '#packages/stripe-sandbox/cards/test-cards.ts';
import { addCard } from '#src/api/operations/add-card.ts';
import { call, testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { add, attachedAt, paymentMethodOf, shownCards, statesOf, tokenOf } from './support.ts';

const service = await testService();

const declined = 'Your bank declined this card. Try another card, or call the number on the back of it.';
const needsBank = 'Your bank wants you to confirm this card. The card is added once you have.';
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
  ['6011981111111113', 'discover', 'debit'],
  ['6200000000000047', 'unionpay', 'debit'],
];

const refused: [number: string, code: string, message: RegExp | string][] = [
  ['4000000000000002', 'card_declined', declined],
  ['4000000000009995', 'card_declined', noFunds],
  ['4000000000009987', 'card_declined', declined],
  ['4000000000009979', 'card_declined', declined],
  ['4100000000000019', 'card_declined', declined],
  ['4000000000006975', 'card_declined', /too often/],
  ['4000000000000069', 'expired_card', /expired/],
  ['4000000000000127', 'incorrect_cvc', /security code/],
  ['4000000000000119', 'processing_error', /couldn't process/],
  ['4000002500003155', 'authentication_required', needsBank],
  ['4000002760003184', 'authentication_required', needsBank],
  ['4000000000003220', 'authentication_required', needsBank],
  ['4000008400001629', 'authentication_required', needsBank],
];

describe('addCard with test card numbers', () => {
  test.each(accepted)('adds %s as %s %s', async (number, brand, funding) => {
    const customer = await newCustomer(service.db);
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
      card: { brand, funding, last4, expMonth: '12', expYear: '2064' },
    });
    expect(await shownCards(customer)).toHaveLength(1);
    expect(await attachedAt(service, customer)).toHaveLength(1);
  });

  test.each(refused)('declines %s with %s', async (number, code, message) => {
    const customer = await newCustomer(service.db);
    const { status, json } = await add(customer, await tokenOf(service, number));
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: false, code, card: null });
    expect(json.message).toMatch(message);
    expect(await shownCards(customer)).toEqual([]);
    expect(await attachedAt(service, customer)).toEqual([]);
    const isWaiting = code === 'authentication_required';
    expect(await statesOf(service, customer)).toEqual([isWaiting ? 'authenticating' : 'failed']);
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
  ['tok_discover_debit', 'discover debit'],
  ['tok_unionpay_debit', 'unionpay debit'],
  ['tok_br', 'visa credit'],
  ['tok_chargeCustomerFail', 'visa credit'],
  ['pm_card_visa', 'visa credit'],
  ['pm_card_mastercard', 'mastercard credit'],
  ['tok_chargeDeclined', declined],
  ['tok_visa_chargeDeclined', declined],
  ['tok_visa_chargeDeclinedInsufficientFunds', noFunds],
  ['tok_visa_chargeDeclinedLostCard', declined],
  ['tok_visa_chargeDeclinedStolenCard', declined],
  ['tok_visa_chargeDeclinedFraudulent', declined],
  ['tok_chargeDeclinedVelocityLimitExceeded', 'card_declined'],
  ['tok_chargeDeclinedExpiredCard', 'expired_card'],
  ['tok_chargeDeclinedIncorrectCvc', 'incorrect_cvc'],
  ['tok_chargeDeclinedProcessingError', 'processing_error'],
  ['tok_authenticationRequiredOnSetup', needsBank],
  ['tok_authenticationRequired', needsBank],
  ['pm_card_visa_chargeDeclined', declined],
];

test.each(tokens)('addCard: test token %s: %s', async (token, outcome) => {
  const customer = await newCustomer(service.db);
  const { status, json } = await add(customer, token);
  expect(status, JSON.stringify(json)).toBe(200);
  const card = json.card as { brand: string; funding: string } | null;
  expect(card ? [`${card.brand} ${card.funding}`] : [json.code, json.message]).toContain(outcome);
});

test('addCard: every brand, funding, and outcome of the test cards is tested by number and by token', () => {
  const kind = ({ brand, funding, outcome }: TestCard) =>
    outcome === 'succeeds' ? `${brand} ${funding}` : outcome;
  const all = [...new Set(Object.values(TEST_CARDS).map(kind))].sort();
  const kinds = (names: (string | undefined)[]) =>
    [...new Set(names.map((name) => kind(testCard(name ?? ''))))].sort();
  expect(kinds([...accepted, ...refused].map(([number]) => cardByNumber(number)))).toEqual(all);
  expect(kinds(tokens.map(([token]) => cardByTestId(token)))).toEqual(all);
});

describe('addCard: card', () => {
  const post = async (body: object) => {
    const customer = await newCustomer(service.db);
    return call(addCard, customer, { body });
  };

  test.each([
    ['omitted', {}],
    ['null', { card: null }],
    ['with null fields', { card: { last4: null, isApplePayCard: null, expMonth: null, expYear: null } }],
    ['with integers', { card: { expMonth: 9, expYear: 2061 } }],
    ['with a year of two digits', { card: { expMonth: 12, expYear: 31 } }],
  ])('adds a card with card %s', async (_case, rest) => {
    const response = await post({ token: 'tok_visa', ...rest });
    expect([response.status, response.json]).toMatchObject([200, { status: true, card: { last4: '4242' } }]);
  });

  test('accepts a CardObject', async () => {
    const { card } = (await post({ token: 'tok_visa' })).json as unknown as { card: object };
    const uuid = '42420000-4242-4242-8242-a00000000000';
    const response = await post({ token: 'tok_visa', card: { ...card, uuid, isDefault: true } });
    expect([response.status, response.json]).toMatchObject([200, { status: true, card: { last4: '4242' } }]);
  });

  test.each([
    [{ expMonth: 0 }, 'card.expMonth', 'Must be a month from 1 to 12.'],
    [{ expMonth: 13 }, 'card.expMonth', 'Must be a month from 1 to 12.'],
    [{ expMonth: 1.5 }, 'card.expMonth', 'Must be a month from 1 to 12.'],
    [{ expMonth: true }, 'card.expMonth', 'Must be a month from 1 to 12.'],
    [{ expYear: -1 }, 'card.expYear', 'Must be a year of two or four digits.'],
    [{ expYear: 203 }, 'card.expYear', 'Must be a year of two or four digits.'],
  ])('returns 400 for %j', async (card, param, message) => {
    const response = await post({ token: 'tok_visa', card });
    expect([response.status, response.json]).toMatchObject([
      400,
      { error: { details: [{ param, message }] } },
    ]);
  });
});

test.each([
  ['tok_visa_applePay', false, true],
  ['tok_visa', true, false],
])(
  'addCard: the payment method of %s is an Apple Pay card if its wallet says so',
  async (token, claimed, marked) => {
    const customer = await newCustomer(service.db);
    const paymentMethod = await paymentMethodOf(service, token);
    const { json } = await add(customer, paymentMethod, {}, { isApplePayCard: claimed });
    expect(json).toMatchObject({ status: true, card: { isApplePayCard: marked } });
  },
);
