import { mkdtempSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stripe } from 'stripe';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Store } from './state/store.ts';
import { startTestSandbox, type TestSandbox } from './testing.ts';
import { Deliveries, recordEvent } from './webhooks.ts';

const SECRET = 'whsec_of_the_test';

let sandbox: TestSandbox;
let receiver: Server;
let received: Stripe.Event[];
/** The statuses that the receiver returns, then 200. */
let statuses: number[];

beforeEach(async () => {
  received = [];
  statuses = [];
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const signature = String(request.headers['stripe-signature']);
    received.push(sandbox.stripe.webhooks.constructEvent(body, signature, SECRET));
    response.writeHead(statuses.shift() ?? 200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  sandbox = await startTestSandbox({ webhook: { url: hookUrl(), secret: SECRET } });
});
afterEach(async () => {
  await sandbox.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const hookUrl = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
const types = () => received.map(({ type }) => type);

test('card changes are delivered, signed, with their previous values', async () => {
  const customer = await sandbox.stripe.customers.create();
  const method = await sandbox.stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
  await sandbox.control(`POST payment_methods/${method.id}/update`, {
    exp_month: 3,
    exp_year: 2039,
    last4: '1881',
  });
  await sandbox.control(`POST payment_methods/${method.id}/update`, {
    exp_year: 2040,
    event: 'payment_method.updated',
  });
  await sandbox.control(`POST payment_methods/${method.id}/detach`);
  await sandbox.control(`DELETE customers/${customer.id}`);
  await expect
    .poll(() => types().sort())
    .toEqual([
      'customer.deleted',
      'payment_method.attached',
      'payment_method.automatically_updated',
      'payment_method.detached',
      'payment_method.updated',
    ]);
  const detached = received.find(({ type }) => type === 'payment_method.detached');
  expect(detached?.data).toMatchObject({
    object: { id: method.id, customer: null },
    previous_attributes: { customer: customer.id },
  });
  const renewed = received.find(({ type }) => type === 'payment_method.automatically_updated');
  expect(renewed?.data.object).toMatchObject({ card: { exp_month: 3, exp_year: 2039, last4: '1881' } });
  expect((await sandbox.stripe.paymentMethods.retrieve(method.id)).card?.exp_year).toBe(2040);
  expect(await sandbox.stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true });
});

test('an event is retried until a 2xx response, and can be resent', async () => {
  statuses = [500];
  const { id } = await sandbox.stripe.customers.create();
  await sandbox.control(`DELETE customers/${id}`);
  await expect.poll(types).toEqual(['customer.deleted', 'customer.deleted']);
  const event = received[0]?.id;
  expect(received[1]?.id).toBe(event);
  await expect
    .poll(async () => (await sandbox.control('GET events')).data)
    .toMatchObject([{ attempts: 2, isDelivered: true }]);
  await sandbox.control(`POST events/${event}/resend`);
  await expect.poll(types).toHaveLength(3);
});

test('an event that falls due while due events are read is delivered', async () => {
  const store = new Store(join(mkdtempSync(join(tmpdir(), 'sandbox-')), 'sandbox.sqlite'));
  const deliveries = new Deliveries(store, { url: hookUrl(), secret: SECRET }, () => {});
  const object = await sandbox.stripe.customers.create();
  const dueMs = Date.now();
  const now = vi.spyOn(Date, 'now').mockReturnValue(dueMs);
  recordEvent(store, { type: 'customer.deleted', object });
  now.mockReturnValueOnce(dueMs - 1).mockReturnValue(dueMs);
  deliveries.run();
  now.mockRestore();
  await expect.poll(types).toEqual(['customer.deleted']);
  deliveries.close();
});

test('a deleted customer has no attached cards, though its payment methods still name it, as in live mode', async () => {
  const customer = await sandbox.stripe.customers.create();
  const method = await sandbox.stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
  await sandbox.control(`DELETE customers/${customer.id}`);
  expect((await sandbox.stripe.paymentMethods.retrieve(method.id)).customer).toBe(customer.id);
  expect((await sandbox.control('GET payment_methods?attached=true')).data).toEqual([]);
  expect(await sandbox.control('GET counts')).toMatchObject({ customers: 0, payment_methods_attached: 0 });
});

test('events without a webhook are delivered when one is set', async () => {
  await sandbox.control('PUT webhook', {});
  const { id } = await sandbox.stripe.customers.create();
  await sandbox.control(`DELETE customers/${id}`);
  expect((await sandbox.control('GET events')).data).toMatchObject([{ attempts: 0, isDelivered: false }]);
  await sandbox.control('PUT webhook', { url: hookUrl(), secret: SECRET });
  await expect.poll(types).toEqual(['customer.deleted']);
});
