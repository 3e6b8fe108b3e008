import dns from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { KEYS, startTestSandbox } from '#packages/stripe-sandbox/testing.ts';
import { createCardProvider, createStripe } from './stripe.ts';
import { type ProviderRequest, tracingProvider } from './trace.ts';

const sandbox = await startTestSandbox();
afterAll(() => sandbox.close());
const control = sandbox.control;
const stripe = createStripe({ STRIPE_SECRET_KEY: KEYS.secretKey, STRIPE_API_BASE: sandbox.origin });
const provider = createCardProvider(stripe);
beforeEach(() => control('DELETE faults'));

let keys = 0;
const newKey = () => `key:${++keys}`;
const owner = { customerId: 7, createdAt: new Date('2026-11-22T10:00:00.123Z') };
const newCustomer = (email = 'ada@example.com', idempotencyKey = newKey()) =>
  provider.createCustomer({ ...owner, email, name: 'Ada', idempotencyKey });

async function save(token: string, providerCustomerId?: string) {
  const customer = providerCustomerId ?? (await newCustomer());
  const { paymentMethodId } = await provider.cardOfToken(token, newKey());
  const input = { providerCustomerId: customer, paymentMethodId, idempotencyKey: newKey() };
  return { ...input, setup: await provider.saveCard(input) };
}

/** @returns the ID of a setup intent whose bank waits for the cardholder */
async function waitingSetup() {
  const { setup, ...saved } = await save('tok_authenticationRequired');
  if (setup.status !== 'action_required') throw new Error(`The setup is ${setup.status}.`);
  return { ...saved, setupIntentId: setup.setupIntentId };
}

/** @returns the last request of an operation, as it was sent */
async function sentFor(operation: string) {
  const { data } = await control(`GET requests?operation=${operation}`);
  const { query, body, headers } = data.at(-1) as { query: string; body: string; headers: object };
  return { query, body: Object.fromEntries(new URLSearchParams(body)), headers };
}

const deleted = async () => {
  const id = await newCustomer();
  await control(`DELETE customers/${id}`);
  return id;
};

describe('createStripe', () => {
  it('needs a key', () => {
    expect(() => createStripe({ STRIPE_SECRET_KEY: '', STRIPE_API_BASE: '' })).toThrow(
      'STRIPE_SECRET_KEY is not set.',
    );
  });

  it.each([
    ['http://127.0.0.1:4100', { host: '127.0.0.1', port: 4100, protocol: 'http' }],
    ['http://stripe.example', { host: 'stripe.example', port: 80, protocol: 'http' }],
    ['https://stripe.example', { host: 'stripe.example', port: 443, protocol: 'https' }],
    ['', { host: 'api.stripe.com', port: '443', protocol: 'https' }],
  ] as const)('sends requests to STRIPE_API_BASE %j', (STRIPE_API_BASE, expected) => {
    const client = createStripe({ STRIPE_SECRET_KEY: KEYS.secretKey, STRIPE_API_BASE });
    const [host, port, protocol] = (['host', 'port', 'protocol'] as const).map((key) =>
      client.getApiField(key),
    );
    expect({ host, port, protocol }).toEqual(expected);
  });

  it('encrypts requests to an https address', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const received = once(server, 'connection').then(async ([socket]: Socket[]) => {
      const [bytes] = await once(socket as Socket, 'data');
      socket?.destroy();
      return bytes;
    });
    const settings = { STRIPE_SECRET_KEY: KEYS.secretKey, STRIPE_API_BASE: `https://127.0.0.1:${port}` };
    const failed = createCardProvider(createStripe(settings))
      .isCustomerDeleted('cus_1')
      .catch(() => {});
    const handshake = 22;
    expect((await Promise.race([received, failed]))?.[0]).toBe(handshake);
    server.close();
    await failed;
  });

  it('retries a request once that did not reach the provider', async () => {
    await control('POST faults', { operation: 'customers.create', kind: 'reset', times: 1 });
    expect(await newCustomer()).toMatch(/^cus_/);
    await control('POST faults', { operation: 'customers.create', kind: 'reset', times: 2 });
    await expect(newCustomer()).rejects.toMatchObject({ kind: 'unavailable', reason: 'not_reached' });
  });

  it('gives up a request whose connection is not made in time', async () => {
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(() => {});
    onTestFinished(() => lookup.mockRestore());
    const settings = { STRIPE_SECRET_KEY: KEYS.secretKey, STRIPE_API_BASE: 'http://stripe.example' };
    const unreachable = createCardProvider(createStripe(settings, 10));
    const failure = { kind: 'unavailable', reason: 'not_reached' };
    await expect(unreachable.isCustomerDeleted('cus_1')).rejects.toMatchObject(failure);
    expect(lookup).toHaveBeenCalledTimes(2);
  });

  it('notes the request ID and the status of each response', async () => {
    const requests: ProviderRequest[] = [];
    await tracingProvider(requests, () => newCustomer());
    const elapsedMs = expect.any(Number);
    expect(requests).toEqual([{ requestId: expect.stringMatching(/^req_/), status: 200, elapsedMs }]);
  });
});

describe('payment provider: createCustomer', () => {
  it('sends the name, the email, and our ID', async () => {
    const sent = { id: await newCustomer('grace@example.com'), name: 'Ada', email: 'grace@example.com' };
    expect(await stripe.customers.retrieve(sent.id)).toMatchObject({
      ...sent,
      metadata: { customer_id: '7', customer_created_at: '2026-11-22T10:00:00.123Z' },
    });
  });

  it('returns the same customer for the same key, unless the email has changed', async () => {
    const key = newKey();
    const first = await newCustomer('ada@example.com', key);
    expect(await newCustomer('ada@example.com', key)).toBe(first);
    expect(await newCustomer('lovelace@example.com', key)).not.toBe(first);
  });

  it('leaves out an email that the provider refuses', async () => {
    const id = await newCustomer('"quoted"@localhost');
    expect(await stripe.customers.retrieve(id)).toMatchObject({ name: 'Ada', email: null });
  });

  it('fails for any other reason', async () => {
    await control('POST faults', { operation: 'customers.create', kind: '400', times: 1 });
    await expect(newCustomer()).rejects.toMatchObject({ kind: 'misuse' });
  });
});

describe('payment provider: findCustomers', () => {
  it('finds all customers of one of ours, and none of another or of another database', async () => {
    const mine = { ...owner, customerId: 8 };
    const found = async () => (await provider.findCustomers(mine)).sort();
    const create = (email: string, createdAt = owner.createdAt) =>
      provider.createCustomer({ ...mine, createdAt, email, name: 'Ada', idempotencyKey: newKey() });
    expect(await found()).toEqual([]);
    const ours = [await create('ada@example.com'), await create('"quoted"@localhost')];
    const elsewhere = await create('ada@example.com', new Date('2026-11-22T10:00:00.124Z'));
    expect(await found()).toEqual(ours.sort());
    for (const id of ours) await provider.deleteCustomer(id);
    expect(await found()).toEqual([]);
    expect(await provider.isCustomerDeleted(elsewhere)).toBe(false);
  });

  it('throws unavailable while the provider fails', async () => {
    await control('POST faults', { operation: 'customers.search', kind: '500', times: 10 });
    await expect(provider.findCustomers(owner)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('payment provider: customers that were deleted', () => {
  it('returns whether a customer was deleted', async () => {
    expect(await provider.isCustomerDeleted(await newCustomer())).toBe(false);
    expect(await provider.isCustomerDeleted(await deleted())).toBe(true);
  });

  it('are not those of another account', async () => {
    const denied = { kind: 'denied', reason: 'customer_unknown' };
    await expect(provider.isCustomerDeleted('cus_elsewhere')).rejects.toMatchObject(denied);
    await expect(provider.deleteCustomer('cus_elsewhere')).rejects.toMatchObject(denied);
  });

  it('are deleted once', async () => {
    const id = await newCustomer();
    await provider.deleteCustomer(id);
    expect(await provider.isCustomerDeleted(id)).toBe(true);
    await provider.deleteCustomer(id);
  });

  it('throws unavailable while the provider fails', async () => {
    const id = await newCustomer();
    await control('POST faults', { operation: '*', kind: '500', times: 10 });
    const failed = { kind: 'unavailable', reason: 'provider_failed' };
    await expect(provider.isCustomerDeleted(id)).rejects.toMatchObject(failed);
    await expect(provider.deleteCustomer(id)).rejects.toMatchObject(failed);
  });
});

describe('payment provider: cards', () => {
  it('are made of a token, once for a key, and read from a payment method', async () => {
    const { paymentMethodId, attachedTo, brand } = await provider.cardOfToken('tok_visa', 'key:token');
    expect([paymentMethodId, attachedTo, brand]).toEqual([expect.stringMatching(/^pm_/), null, 'visa']);
    expect(await provider.cardOfToken('tok_visa', 'key:token')).toMatchObject({ paymentMethodId });
    expect(await provider.cardOfToken(paymentMethodId, newKey())).toMatchObject({ paymentMethodId });
    await expect(provider.cardOfToken('tok_unknown', newKey())).rejects.toMatchObject({ kind: 'token' });
    await expect(provider.cardOfToken('pm_unknown', newKey())).rejects.toMatchObject({ kind: 'token' });
  });

  it('are attached by saving them, until they are detached or their customer is deleted', async () => {
    const { setup, providerCustomerId, paymentMethodId } = await save('tok_visa');
    expect(setup).toMatchObject({ status: 'succeeded', isReplayed: false, paymentMethodId });
    const attachedTo = providerCustomerId;
    expect(await provider.findCard(paymentMethodId)).toMatchObject({ attachedTo });
    for (const key of ['key:once', 'key:twice']) await provider.detachCard(paymentMethodId, key);
    expect(await sentFor('paymentMethods.detach')).toMatchObject({
      headers: { 'idempotency-key': 'key:twice' },
    });
    expect(await provider.findCard(paymentMethodId)).toMatchObject({ attachedTo: null });
    const again = provider.saveCard({ providerCustomerId, paymentMethodId, idempotencyKey: newKey() });
    await expect(again, 'for good').rejects.toMatchObject({ kind: 'token' });
    const other = await save('tok_visa', providerCustomerId);
    await control(`DELETE customers/${providerCustomerId}`);
    expect(await provider.findCard(other.paymentMethodId)).toMatchObject({ attachedTo: null });
  });

  it('are null when they are unknown, but not while the provider fails', async () => {
    expect(await provider.findCard('pm_unknown')).toBeNull();
    await provider.detachCard('pm_unknown', newKey());
    await control('POST faults', { operation: '*', kind: '500', times: 10 });
    const failed = { kind: 'unavailable', isStored: false };
    await expect(provider.findCard('pm_unknown')).rejects.toMatchObject(failed);
    await expect(provider.detachCard('pm_unknown', newKey())).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('are listed on all pages, and none for a customer that is gone', async () => {
    const { providerCustomerId, paymentMethodId } = await save('tok_visa');
    const second = await save('tok_mastercard', providerCustomerId);
    const listed = await provider.listCards(providerCustomerId);
    expect(listed.map((card) => card.paymentMethodId).sort()).toEqual(
      [paymentMethodId, second.paymentMethodId].sort(),
    );
    const { query } = await sentFor('customers.listPaymentMethods');
    expect(Object.fromEntries(new URLSearchParams(query))).toMatchObject({ type: 'card', limit: '100' });
    expect(await provider.listCards(await deleted())).toEqual([]);
    expect(await provider.listCards('cus_elsewhere')).toEqual([]);
    await control('POST faults', { operation: '*', kind: '429', times: 10 });
    await expect(provider.listCards(providerCustomerId)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('payment provider: setups', () => {
  it('are replayed in their current state', async () => {
    const { setup, ...input } = await save('tok_authenticationRequired');
    expect(setup).toMatchObject({ status: 'action_required', isReplayed: false });
    expect(await provider.saveCard(input)).toEqual({ ...setup, isReplayed: true });
    const id = setup.status === 'action_required' ? setup.setupIntentId : '';
    await control(`POST setup_intents/${id}/complete_action`, { result: 'authenticated' });
    const { paymentMethodId } = input;
    expect(await provider.findSetup(id)).toMatchObject({ status: 'succeeded', paymentMethodId });
    expect(await provider.saveCard(input)).toMatchObject({ status: 'succeeded', isReplayed: true });
  });

  it.each([
    ['rejected', 'setup_intent_authentication_failure'],
    ['canceled', 'authentication_canceled'],
    ['abandoned', 'authentication_abandoned'],
  ])('say that the authentication was %s', async (result, reason) => {
    const { setupIntentId } = await waitingSetup();
    await control(`POST setup_intents/${setupIntentId}/complete_action`, { result });
    expect(await provider.findSetup(setupIntentId)).toEqual({ status: 'failed', reason });
  });

  it('are canceled as abandoned, unless they have ended', async () => {
    const { setupIntentId } = await waitingSetup();
    for (const _ of [1, 2]) expect(await provider.cancelSetup(setupIntentId)).toEqual({ status: 'canceled' });
    const { cancellation_reason } = await stripe.setupIntents.retrieve(setupIntentId);
    expect(cancellation_reason).toBe('abandoned');
    const done = await waitingSetup();
    await control(`POST setup_intents/${done.setupIntentId}/complete_action`);
    expect(await provider.cancelSetup(done.setupIntentId)).toMatchObject({ status: 'succeeded' });
  });

  it('of another account are denied', async () => {
    const denied = { kind: 'denied', reason: 'setup_unknown', isStored: false };
    await expect(provider.findSetup('seti_elsewhere')).rejects.toMatchObject(denied);
    await expect(provider.cancelSetup('seti_elsewhere')).rejects.toMatchObject(denied);
  });

  it('are not canceled while the provider fails', async () => {
    const { setupIntentId } = await waitingSetup();
    await control('POST faults', { operation: 'setupIntents.cancel', kind: '500', times: 10 });
    await expect(provider.cancelSetup(setupIntentId)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('ask the bank for later payments without the cardholder, and for no authentication on another page', async () => {
    await save('tok_visa');
    expect((await sentFor('setupIntents.create')).body).toMatchObject({
      confirm: 'true',
      usage: 'off_session',
      use_stripe_sdk: 'true',
      'automatic_payment_methods[enabled]': 'true',
      'automatic_payment_methods[allow_redirects]': 'never',
    });
  });

  it('returns the bank’s check of the postal code, at once and when they are read', async () => {
    const { setup, ...input } = await save('tok_avsZipFail');
    expect(setup).toMatchObject({ status: 'succeeded', postalCodeCheck: 'fail' });
    expect(await provider.saveCard(input)).toEqual({ ...setup, isReplayed: true });
  });
});
