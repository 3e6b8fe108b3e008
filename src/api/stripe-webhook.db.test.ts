import Stripe from 'stripe';
import { expect, test } from 'vitest';
import { handleApiRequest } from '#src/api/router.ts';
import { eraseCustomer } from '#src/customers/erase-customer.ts';
import { call, testService, webhookSecret, writtenByService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import {
  add,
  attachedAt,
  injectFault,
  providerCustomerOf,
  requestsTo,
  shownCards,
  statesOf,
} from '../cards/tests/support.ts';

const stripeWebhook = { method: 'POST', path: '/api/webhooks/stripe' } as const;
const service = await testService();
const stripe = new Stripe('sk_test_signs');

type Sent = { id: string; type: string; [name: string]: unknown };

function deliver(
  event: object,
  options: { secret?: string; timestamp?: number; signature?: string | null } = {},
) {
  const payload = JSON.stringify(event);
  const { secret = webhookSecret, timestamp = Math.floor(Date.now() / 1000) } = options;
  const signature =
    options.signature === undefined
      ? stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
      : options.signature;
  return call(stripeWebhook, null, {
    body: payload,
    headers: signature === null ? {} : { 'Stripe-Signature': signature },
  });
}

async function eventsOf(type: string, paymentMethodId: string): Promise<Sent[]> {
  const { data } = await service.control('GET events');
  return data
    .map((entry) => (entry.event ?? entry) as Sent & { data: { object: { id: string } } })
    .filter((event) => event.type === type && event.data.object.id === paymentMethodId);
}

/** @returns the event of a payment method that was detached at the provider */
async function detach(paymentMethodId: string): Promise<Sent> {
  await service.control(`POST payment_methods/${paymentMethodId}/detach`);
  return first(await eventsOf('payment_method.detached', paymentMethodId));
}

/** @returns the event of a card whose issuer has renewed it */
async function renew(paymentMethodId: string): Promise<Sent> {
  await service.control(`POST payment_methods/${paymentMethodId}/update`, { exp_month: 3, exp_year: 2036 });
  return first(await eventsOf('payment_method.automatically_updated', paymentMethodId));
}

function first([event]: Sent[]): Sent {
  if (!event) throw new Error('The sandbox recorded no event.');
  return event;
}

/** @returns what was logged of the request */
async function lineOf(headers: Headers): Promise<unknown> {
  const { log = '' } = await writtenByService(service);
  const line = log.split('\n').find((text) => text.includes(headers.get('x-request-id') ?? 'none'));
  return JSON.parse(line ?? '{}');
}

async function customerWithCard() {
  const customer = await newCustomer(service.db);
  await add(customer, 'tok_visa');
  const [paymentMethodId = ''] = await attachedAt(service, customer);
  return { customer, paymentMethodId };
}

test('stripeWebhook: returns 400 unless the signature is valid and recent', async () => {
  const { customer, paymentMethodId } = await customerWithCard();
  const event = await detach(paymentMethodId);
  const anHourAgo = Math.floor(Date.now() / 1000) - 3600;
  for (const response of [
    await deliver(event, { signature: null }),
    await deliver(event, { signature: '' }),
    await deliver(event, { signature: 't=1,v1=00' }),
    await deliver(event, { secret: 'whsec_another' }),
    await deliver(event, { timestamp: anHourAgo }),
  ]) {
    expect([response.status, response.json]).toMatchObject([
      400,
      { error: { code: 400, type: 'signature_invalid' } },
    ]);
  }
  expect(await shownCards(customer)).toHaveLength(1);
  await service.restart({ STRIPE_WEBHOOK_SECRET: '' });
  expect((await deliver(event)).status).toBe(400);
  await service.restart();
  expect(await deliver(event)).toMatchObject({ status: 200, json: { received: true } });
  expect(await shownCards(customer)).toEqual([]);
});

test('stripeWebhook: payment_method.detached removes the card, also when delivered twice', async () => {
  const { customer, paymentMethodId } = await customerWithCard();
  const event = await detach(paymentMethodId);
  const { headers } = await deliver(event);
  for (const _ of [2, 3]) expect((await deliver(event)).status).toBe(200);
  expect(await shownCards(customer)).toEqual([]);
  expect(await statesOf(service, customer)).toEqual(['removed']);
  const audited = await service.sql`
    select actor, channel, request_id, address from audit
    where customer_id = ${customer.id} and action = 'card.removed'`;
  const requestId = headers.get('x-request-id');
  expect([...audited]).toEqual([
    { actor: 'provider', channel: 'provider', request_id: requestId, address: null },
  ]);
});

test.each(['payment_method.updated', 'payment_method.automatically_updated'])(
  '%s: the updated card shows, and a late or repeated event changes nothing',
  async (type) => {
    const { customer, paymentMethodId } = await customerWithCard();
    for (const exp_year of [2036, 2039]) {
      await service.control(`POST payment_methods/${paymentMethodId}/update`, {
        exp_month: 3,
        exp_year,
        last4: '1881',
        event: type,
      });
    }
    const events = (await eventsOf(type, paymentMethodId)).reverse();
    expect(events.length).toBe(2);
    for (const event of [...events, ...events]) {
      expect((await deliver(event)).status).toBe(200);
      expect(await shownCards(customer)).toMatchObject([{ expYear: '2039', expMonth: '03', last4: '1881' }]);
    }
  },
);

test('stripeWebhook: an older event does not restore a detached card', async () => {
  const { customer, paymentMethodId } = await customerWithCard();
  const renewal = await renew(paymentMethodId);
  await detach(paymentMethodId);
  expect((await deliver(renewal)).status).toBe(200);
  expect(await shownCards(customer)).toEqual([]);
});

test('stripeWebhook: an event that was applied is not applied again', async () => {
  const { paymentMethodId } = await customerWithCard();
  const event = await renew(paymentMethodId);
  const reads = async () => (await requestsTo(service, 'paymentMethods.retrieve')).length;
  const before = await reads();
  for (const _ of [1, 2]) expect((await deliver(event)).status).toBe(200);
  expect(await reads()).toBe(before + 1);
  expect((await deliver({ ...event, id: 'evt_of_another_change' })).status).toBe(200);
  expect(await reads()).toBe(before + 2);
});

test('stripeWebhook: an address that the provider does not have stays as the customer gave it', async () => {
  const customer = await newCustomer(service.db);
  const address = { addressCountry: 'CA', addressZip: 'K1A 0B1' };
  await add(customer, 'tok_visa', {}, address);
  const [paymentMethodId = ''] = await attachedAt(service, customer);
  const event = await renew(paymentMethodId);
  expect((await deliver(event)).status).toBe(200);
  expect(await shownCards(customer)).toMatchObject([{ expYear: '2036', ...address }]);
});

test('stripeWebhook: customer.updated removes no cards, and a large event is read', async () => {
  const { customer } = await customerWithCard();
  const object = { id: await providerCustomerOf(service, customer), description: 'x'.repeat(200_000) };
  const event = { id: 'evt_large', object: 'event', type: 'customer.updated', data: { object } };
  expect((await deliver(event)).status).toBe(200);
  expect(await shownCards(customer)).toHaveLength(1);
});

test('stripeWebhook: customer.deleted removes all cards, and addCard works again', async () => {
  const { customer } = await customerWithCard();
  const id = await providerCustomerOf(service, customer);
  await service.control(`DELETE customers/${id}`);
  const event = first(await eventsOf('customer.deleted', id));
  expect((await deliver(event)).status).toBe(200);
  expect(await shownCards(customer)).toEqual([]);
  expect((await add(customer, 'tok_mastercard')).json.status).toBe(true);
});

test('stripeWebhook: returns 424 while the provider cannot confirm the event', async () => {
  const { customer, paymentMethodId } = await customerWithCard();
  const event = await detach(paymentMethodId);
  await injectFault(service, 'paymentMethods.retrieve', '500');
  expect((await deliver(event)).status).toBe(424);
  expect(await shownCards(customer)).toHaveLength(1);
  await service.control('DELETE faults');
  expect((await deliver(event)).status).toBe(200);
  expect(await shownCards(customer)).toEqual([]);
});

test.each(['update', 'detach'])(
  'stripeWebhook: returns 200 after the %s of a card whose customer is erased meanwhile, and restores nothing',
  async (change) => {
    const { customer, paymentMethodId } = await customerWithCard();
    const type = change === 'detach' ? 'payment_method.detached' : 'payment_method.automatically_updated';
    const body = change === 'detach' ? undefined : { exp_month: 3, exp_year: 2036 };
    await service.control(`POST payment_methods/${paymentMethodId}/${change}`, body);
    const [event = {}] = await eventsOf(type, paymentMethodId);
    const slow = { operation: 'paymentMethods.retrieve', kind: 'slow', times: 1, delayMs: 9_000 };
    await service.control('POST faults', slow);
    const delivered = deliver(event);
    await expect.poll(async () => (await service.control('GET faults')).data).toMatchObject([{ fired: 1 }]);
    await eraseCustomer({ db: service.db, actor: 'tests' }, customer.username);
    await service.control('DELETE faults');
    expect((await delivered).status).toBe(200);
    expect((await deliver(event)).status).toBe(200);
    expect(await statesOf(service, customer)).toEqual([]);
  },
);

test.each([
  ['of another type', { type: 'invoice.paid', data: { object: { id: 'in_1' } } }],
  ['without data', { type: 'customer.deleted' }],
  ['without an object', { type: 'payment_method.detached', data: { object: null } }],
])('stripeWebhook: returns 200 for an event %s, and ignores it', async (name, event) => {
  const { customer } = await customerWithCard();
  expect((await deliver({ id: `evt ${name}`, object: 'event', ...event })).status).toBe(200);
  expect(await shownCards(customer)).toHaveLength(1);
});

test('stripeWebhook: returns 400 for a signed body that is not a snapshot event, and logs why', async () => {
  const { headers, status, json } = await deliver({ id: 'evt_thin', object: 'v2.core.event', type: 'v2.x' });
  expect([status, json]).toMatchObject([400, { error: { code: 400, type: 'invalid_input' } }]);
  expect(await lineOf(headers)).toMatchObject({
    status: 400,
    error: { message: 'The signature is valid, but the body is not a snapshot event.' },
  });
  const unstorable = { id: 'evt_\0', object: 'event', type: 'customer.deleted' };
  expect((await deliver(unstorable)).status).toBe(400);
});

test('stripeWebhook: returns 405 for GET', async () => {
  expect((await call({ ...stripeWebhook, method: 'GET' }, null)).status).toBe(405);
});

test('stripeWebhook: returns 413 for a body of more than 256 KiB, signed or not', async () => {
  const post = (body: string, secret = webhookSecret) =>
    call(stripeWebhook, null, {
      body,
      headers: { 'Stripe-Signature': stripe.webhooks.generateTestHeaderString({ payload: body, secret }) },
    });
  const event = JSON.stringify({ id: 'evt_256_kib', type: 'invoice.paid' }).padEnd(256 * 1024);
  expect((await post(event)).status).toBe(200);
  expect((await post(event, 'whsec_another')).status).toBe(400);
  for (const secret of [webhookSecret, 'whsec_another']) {
    const { status, json } = await post(`${event} `, secret);
    const message = 'The request body is larger than 256 KiB.';
    expect([status, json]).toMatchObject([413, { error: { code: 413, type: 'body_too_large', message } }]);
  }
});

test('stripeWebhook: logs the event, its duration, and the provider requests', async () => {
  const { paymentMethodId } = await customerWithCard();
  const event = await renew(paymentMethodId);
  const { headers } = await deliver(event);
  expect(await lineOf(headers)).toMatchObject({
    operation: 'stripeWebhook',
    method: 'POST',
    status: 200,
    elapsedMs: expect.any(Number),
    eventId: event.id,
    eventType: event.type,
    provider: [{ requestId: expect.stringMatching(/^req_/), status: 200 }],
  });
});

test('stripeWebhook: returns 413 for a body that is too large without reading the rest', async () => {
  let pieces = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pieces += 1;
      if (pieces > 100) controller.close();
      else controller.enqueue(new Uint8Array(64 * 1024));
    },
  });
  const sent = { method: 'POST', body, duplex: 'half', headers: { 'Stripe-Signature': 't=1,v1=0' } };
  const response = await handleApiRequest(new Request(`http://127.0.0.1${stripeWebhook.path}`, sent));
  expect(response.status).toBe(413);
  expect(pieces).toBeLessThan(10);
});
