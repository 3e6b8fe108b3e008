import type { Stripe } from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusal, saving, startTestSandbox, type TestSandbox, tokenize } from '../testing.ts';

let sandbox: TestSandbox;
let customer: string;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  customer = (await sandbox.stripe.customers.create({ email: 'ada@example.com' })).id;
});
afterAll(() => sandbox.close());

async function methodOfNumber(number: string): Promise<Stripe.PaymentMethod> {
  const cvc = number.length === 15 ? '1234' : '123';
  const token = await tokenize(sandbox, { number, cvc });
  return sandbox.stripe.paymentMethods.create({ type: 'card', card: { token: String(token.id) } });
}

test.each([
  ['4242424242424242', 'visa', 'credit', 'Visa'],
  ['4000056655665556', 'visa', 'debit', 'Visa'],
  ['5555555555554444', 'mastercard', 'credit', 'MasterCard'],
  ['5200828282828210', 'mastercard', 'debit', 'MasterCard'],
  ['5105105105105100', 'mastercard', 'prepaid', 'MasterCard'],
  ['378282246310005', 'amex', 'credit', 'American Express'],
  ['6011111111111117', 'discover', 'credit', 'Discover'],
  ['3056930009020004', 'diners', 'credit', 'Diners Club'],
  ['3566002020360505', 'jcb', 'credit', 'JCB'],
  ['6200000000000005', 'unionpay', 'credit', 'UnionPay'],
  ['4000000000000341', 'visa', 'credit', 'Visa'],
])('%s is saved as a %s %s card', async (number, brand, funding, tokenBrand) => {
  const token = await tokenize(sandbox, { number, cvc: number.length === 15 ? '1234' : '123' });
  expect(token.card).toMatchObject({
    brand: tokenBrand,
    funding,
    last4: number.slice(-4),
    cvc_check: 'unchecked',
  });
  const method = await methodOfNumber(number);
  expect(method.card).toMatchObject({
    brand,
    funding,
    last4: number.slice(-4),
    exp_month: 12,
    exp_year: 2064,
  });
  const intent = await sandbox.stripe.setupIntents.create(saving(customer, method.id));
  expect(intent.status).toBe('succeeded');
  const saved = await sandbox.stripe.paymentMethods.retrieve(method.id);
  expect(saved.customer).toBe(customer);
  expect(saved.card?.checks?.cvc_check).toBe('pass');
});

const DECLINES = [
  ['4000000000000002', 'card_declined', 'generic_decline', 'chargeDeclined'],
  ['4000000000009995', 'card_declined', 'insufficient_funds', 'chargeDeclinedInsufficientFunds'],
  ['4000000000009987', 'card_declined', 'lost_card', 'chargeDeclinedLostCard'],
  ['4000000000009979', 'card_declined', 'stolen_card', 'chargeDeclinedStolenCard'],
  ['4000000000006975', 'card_declined', 'card_velocity_exceeded', 'chargeDeclinedVelocityLimitExceeded'],
  ['4000000000000069', 'expired_card', undefined, 'chargeDeclinedExpiredCard'],
  ['4000000000000127', 'incorrect_cvc', undefined, 'chargeDeclinedIncorrectCvc'],
  ['4000000000000119', 'processing_error', undefined, 'chargeDeclinedProcessingError'],
  ['4100000000000019', 'card_declined', 'fraudulent', 'chargeDeclinedFraudulent'],
] as const;

test.each(DECLINES)(
  '%s gets a token, and is declined with %s when saved',
  async (number, code, declineCode) => {
    const method = await methodOfNumber(number);
    const error = await refusal(sandbox.stripe.setupIntents.create(saving(customer, method.id)));
    expect(error).toMatchObject({ type: 'StripeCardError', statusCode: 402, code });
    // The SDK gives an empty text where there is none.
    expect(error.decline_code || undefined).toBe(declineCode);
    expect(error.setup_intent).toMatchObject({ status: 'requires_payment_method', payment_method: null });
    expect(error.setup_intent?.last_setup_error).toMatchObject({ code, payment_method: { id: method.id } });
    const intent = await sandbox.stripe.setupIntents.retrieve(error.setup_intent?.id ?? '');
    expect(intent.last_setup_error?.code).toBe(code);
    expect((await refusal(sandbox.stripe.paymentMethods.attach(method.id, { customer }))).code).toBe(code);
    expect((await sandbox.stripe.paymentMethods.retrieve(method.id)).customer).toBeNull();
  },
);

test.each(DECLINES)('the test IDs of %s are declined with %s', async (_number, code, declineCode, name) => {
  for (const token of [`tok_${name}`, `tok_visa_${name}`]) {
    const method = await sandbox.stripe.paymentMethods.create({ type: 'card', card: { token } });
    const error = await refusal(sandbox.stripe.setupIntents.create(saving(customer, method.id)));
    expect([error.code, error.decline_code || undefined]).toEqual([code, declineCode]);
  }
  for (const id of [`pm_card_${name}`, `pm_card_visa_${name}`])
    expect((await refusal(sandbox.stripe.setupIntents.create(saving(customer, id)))).code).toBe(code);
});

test.each(['4000002500003155', '4000002760003184'])(
  '%s requires an action and is not saved',
  async (number) => {
    const method = await methodOfNumber(number);
    const intent = await sandbox.stripe.setupIntents.create(saving(customer, method.id));
    expect(intent).toMatchObject({ status: 'requires_action', payment_method: method.id });
    expect(intent.next_action?.type).toBe('use_stripe_sdk');
    expect((await sandbox.stripe.paymentMethods.retrieve(method.id)).customer).toBeNull();
  },
);

test.each([
  ['tok_visa', 'visa', 'credit'],
  ['tok_visa_debit', 'visa', 'debit'],
  ['tok_mastercard', 'mastercard', 'credit'],
  ['tok_mastercard_debit', 'mastercard', 'debit'],
  ['tok_mastercard_prepaid', 'mastercard', 'prepaid'],
  ['tok_amex', 'amex', 'credit'],
  ['tok_discover', 'discover', 'credit'],
  ['tok_diners', 'diners', 'credit'],
  ['tok_jcb', 'jcb', 'credit'],
  ['tok_unionpay', 'unionpay', 'credit'],
])('%s is reusable and creates a new payment method each time', async (token, brand, funding) => {
  const first = await sandbox.stripe.paymentMethods.create({ type: 'card', card: { token } });
  const second = await sandbox.stripe.paymentMethods.create({ type: 'card', card: { token } });
  expect(first.card).toMatchObject({ brand, funding });
  expect(second.id).not.toBe(first.id);
  expect(second.card?.fingerprint).toBe(first.card?.fingerprint);
  const attached = await sandbox.stripe.paymentMethods.attach(token.replace('tok_', 'pm_card_'), {
    customer,
  });
  expect(attached).toMatchObject({ customer, card: { brand, funding } });
});

test.each([
  [{ number: '4242424242424241' }, 'incorrect_number'],
  [{ number: '4242' }, 'invalid_number'],
  [{ number: '4539578763621486' }, 'card_declined'],
  [{ number: '4242424242424242', exp_year: '2020' }, 'invalid_expiry_year'],
  [{ number: '4242424242424242', exp_month: '13' }, 'invalid_expiry_month'],
  [{ number: '4242424242424242', cvc: '12' }, 'invalid_cvc'],
  [{ number: '378282246310005', cvc: '123' }, 'invalid_cvc'],
])('tokens.create refuses %o', async (details, code) => {
  const { error } = await tokenize(sandbox, details as Record<string, string>);
  expect(error).toMatchObject({ type: 'card_error', code });
});

test('fingerprints are equal within a data file and differ between data files', async () => {
  const other = await startTestSandbox();
  const [here, again] = [await methodOfNumber('4242424242424242'), await methodOfNumber('4242424242424242')];
  const there = await other.stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } });
  await other.close();
  expect(again.card?.fingerprint).toBe(here.card?.fingerprint);
  expect(there.card?.fingerprint).not.toBe(here.card?.fingerprint);
  expect((await methodOfNumber('5555555555554444')).card?.fingerprint).not.toBe(here.card?.fingerprint);
});
