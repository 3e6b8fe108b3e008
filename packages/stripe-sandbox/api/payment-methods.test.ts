import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEYS, refusal, saving, startTestSandbox, type TestSandbox, tokenize } from '../testing.ts';

let sandbox: TestSandbox;
let customer: string;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  customer = (await sandbox.stripe.customers.create()).id;
});
afterAll(() => sandbox.close());

describe('paymentMethods.create', () => {
  it('works with the publishable key, as a browser calls it after a wallet', async () => {
    const body = new URLSearchParams({
      ...{
        key: KEYS.publishableKey,
        type: 'card',
        'card[token]': 'tok_visa_googlePayAuthenticationRequired',
      },
      'billing_details[address][postal_code]': '94107',
    });
    const response = await fetch(`${sandbox.origin}/v1/payment_methods`, { method: 'POST', body });
    expect(await response.json()).toMatchObject({
      object: 'payment_method',
      billing_details: { address: { postal_code: '94107' } },
      card: { last4: '3155', wallet: { type: 'google_pay', google_pay: {} } },
    });
  });
});

describe('tokens with faults', () => {
  it.each([
    ['tok_sandbox_unavailable', 500, 'api_error'],
    ['tok_sandbox_denied', 401, 'invalid_request_error'],
  ])('%s fails each time with %i, and other tokens work', async (token, status, type) => {
    const { stripe } = sandbox;
    const exchange = (sent: string) =>
      stripe.paymentMethods.create({ type: 'card', card: { token: sent } }, { maxNetworkRetries: 0 });
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await refusal(exchange(token))).toMatchObject({ statusCode: status, raw: { type } });
    expect((await exchange('tok_visa')).card?.last4).toBe('4242');
  });
});

describe('card checks', () => {
  it.each([
    ['4000000000000101', { cvc_check: 'fail', address_postal_code_check: 'pass' }],
    ['4000000000000036', { cvc_check: 'pass', address_postal_code_check: 'fail' }],
    ['4000000000000044', { cvc_check: 'pass', address_postal_code_check: 'unavailable' }],
  ])('%s is saved with %o', async (number, checks) => {
    const { stripe } = sandbox;
    const token = await tokenize(sandbox, { number, address_zip: '94107' });
    const method = await stripe.paymentMethods.create({ type: 'card', card: { token: String(token.id) } });
    expect((await stripe.setupIntents.create(saving(customer, method.id))).status).toBe('succeeded');
    expect((await stripe.paymentMethods.retrieve(method.id)).card?.checks).toMatchObject(checks);
  });

  it.each([
    ['tok_cvcCheckFail', { cvc_check: 'fail' }],
    ['tok_avsFail', { address_line1_check: 'fail', address_postal_code_check: 'fail' }],
  ])('%s has failed checks', async (token, checks) => {
    const { stripe } = sandbox;
    const method = await stripe.paymentMethods.create({ type: 'card', card: { token } });
    const attached = await stripe.paymentMethods.attach(method.id, { customer });
    expect(attached.card?.checks).toMatchObject(checks);
  });
});

describe('test tokens', () => {
  it('tok_visa_applePay is an Apple Pay card with its own fingerprint', async () => {
    const { stripe } = sandbox;
    const create = (token: string) => stripe.paymentMethods.create({ type: 'card', card: { token } });
    const [wallet, plain] = [await create('tok_visa_applePay'), await create('tok_visa')];
    expect(wallet.card?.wallet).toMatchObject({ type: 'apple_pay', dynamic_last4: '4242' });
    expect(plain.card?.wallet).toBeNull();
    expect(wallet.card?.fingerprint).not.toBe(plain.card?.fingerprint);
  });

  it.each([
    ['tok_br', 'BR', ['visa']],
    ['tok_gb_debit', 'GB', ['visa']],
    ['tok_visa_cartesBancaires', 'FR', ['cartes_bancaires', 'visa']],
  ])('%s is a card from %s of the networks %o', async (token, country, available) => {
    const method = await sandbox.stripe.paymentMethods.create({ type: 'card', card: { token } });
    expect(method.card).toMatchObject({ country, networks: { available } });
  });
});

describe('the card updater', () => {
  it('gives a card the number and fingerprint of another test card', async () => {
    const { stripe } = sandbox;
    const old = await stripe.paymentMethods.attach('pm_card_visa', { customer });
    const renewed = await stripe.paymentMethods.attach('pm_card_mastercard', { customer });
    await sandbox.control(`POST payment_methods/${old.id}/update`, {
      number: '5555555555554444',
      exp_year: 2071,
    });
    const method = await stripe.paymentMethods.retrieve(old.id);
    expect(method.card).toMatchObject({ brand: 'mastercard', last4: '4444', exp_year: 2071 });
    expect(method.card?.fingerprint).toBe(renewed.card?.fingerprint);
    const events = (await sandbox.control('GET events')).data as { event: { type: string; data: object } }[];
    expect(events.at(-1)?.event).toMatchObject({
      type: 'payment_method.automatically_updated',
      data: { previous_attributes: { card: { last4: '4242', fingerprint: old.card?.fingerprint } } },
    });
    const unknown = sandbox.control(`POST payment_methods/${old.id}/update`, { number: '4539578763621486' });
    await expect(unknown).rejects.toThrow('400');
  });
});
