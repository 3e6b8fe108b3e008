import Stripe from 'stripe';
import { type TestService, webhookSecret } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import {
  add,
  attachedAt,
  endChallenge,
  injectFault,
  paymentMethodOf,
  providerCustomerOf,
  remove,
  tokenOf,
} from '../support.ts';
import { completePath } from './handle-request.ts';

export type CrashRequest = {
  method: 'POST' | 'DELETE';
  path: string;
  body?: object;
  headers?: Record<string, string>;
  /** Another customer with unfinished cards, and how many cards it has at the end. */
  other?: { customer: TestCustomer; cards: number };
};

/** One path through an addition, a removal, an event, or the completer. */
export type Flow = {
  name: string;
  /** Creates what the flow starts with. @returns the request to interrupt */
  prepare(service: TestService, customer: TestCustomer): Promise<CrashRequest>;
  /** Happens between the kill and the retry, whose response then depends on the moment of the kill. */
  meanwhile?(service: TestService, customer: TestCustomer): Promise<CrashRequest[]>;
  /** False if the client gives up. */
  isRetried?: false;
  /** The allowed numbers of cards at the end. */
  ends: number[];
  /** The states of the customer's rows at the end, if not only their number counts. */
  states?: string[];
};

const number = '4242424242424242';
const cardsPath = '/api/schedule/v1/payment/cards';
const adding = (token: string): CrashRequest => ({
  method: 'POST',
  path: cardsPath,
  body: { token, card: {} },
});
const addsFresh: Flow['prepare'] = async (service) => adding(await tokenOf(service, number));

const completing: CrashRequest = { method: 'POST', path: completePath };

const stripe = new Stripe('sk_test_signs');
let events = 0;

/** A delivery of the provider's webhook. */
function delivering(type: string, objectId: string | undefined): CrashRequest {
  const body = { id: `evt_crash_${events++}`, object: 'event', type, data: { object: { id: objectId } } };
  const payload = JSON.stringify(body);
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
  return {
    method: 'POST',
    path: '/api/webhooks/stripe',
    body,
    headers: { 'Stripe-Signature': signature },
  };
}

const removes: Flow['prepare'] = async (_service, customer) => {
  const { json } = await add(customer, 'tok_visa');
  return { method: 'DELETE', path: `${cardsPath}/${json.card?.uuid}` };
};

/** The number is on file already. @param expYear of the second card; the first is of 2064 */
const addsAgain =
  (expYear: number): Flow['prepare'] =>
  async (service, customer) => {
    await add(customer, await tokenOf(service, number));
    return adding(await tokenOf(service, number, expYear));
  };

const addsPaymentMethod: Flow['prepare'] = async (service) =>
  adding(await paymentMethodOf(service, await tokenOf(service, number)));

const authenticatedNumber = '4000000000003220';

/** The bank waits for the cardholder. */
async function waiting(service: TestService, customer: TestCustomer) {
  const token = await tokenOf(service, authenticatedNumber);
  const { setupIntentId } = await add(customer, token);
  return { token, setupIntentId };
}

/** The cardholder has authenticated the card. */
async function authenticated(service: TestService, customer: TestCustomer) {
  const card = await waiting(service, customer);
  await endChallenge(service, card.setupIntentId);
  return card;
}

/** The card is attached, but the response of the provider was lost, and the client has given up. */
async function leaveUnfinished(service: TestService, customer: TestCustomer): Promise<void> {
  await injectFault(service, 'setupIntents.create', 'drop_after_commit');
  await add(customer, await tokenOf(service, number));
  await service.control('DELETE faults');
}

/** @returns the deliveries of the events */
async function detachAll(service: TestService, customer: TestCustomer): Promise<CrashRequest[]> {
  const attached = await attachedAt(service, customer);
  for (const id of attached) await service.control(`POST payment_methods/${id}/detach`);
  return attached.map((id) => delivering('payment_method.detached', id));
}

/** @returns the delivery of the event, if the provider had a customer */
async function deleteAtProvider(service: TestService, customer: TestCustomer): Promise<CrashRequest[]> {
  const id = await providerCustomerOf(service, customer);
  if (!id) return [];
  await service.control(`DELETE customers/${id}`);
  return [delivering('customer.deleted', id)];
}

const first = ([request]: CrashRequest[]): CrashRequest => {
  if (!request) throw new Error('The provider has no card.');
  return request;
};

const addFlow: Flow = { name: 'add, then retry', prepare: addsFresh, ends: [1] };
const removeFlow: Flow = { name: 'remove, then retry', prepare: removes, ends: [0] };
const renewFlow: Flow = {
  name: 'add with a new expiry, then retry',
  prepare: addsAgain(2069),
  ends: [1],
};

export const flows: Flow[] = [
  addFlow,
  { name: 'add, without a retry', prepare: addsFresh, isRetried: false, ends: [0, 1] },
  removeFlow,
  renewFlow,
  {
    name: 'add what is on file already, then retry',
    prepare: addsAgain(2064),
    ends: [1],
  },
  { name: 'add a payment method, then retry', prepare: addsPaymentMethod, ends: [1] },
  {
    name: 'add a card that its bank wants authenticated, then retry',
    prepare: async (service) => adding(await tokenOf(service, authenticatedNumber)),
    ends: [0],
  },
  {
    name: 'add an authenticated card, then retry',
    prepare: async (service, customer) => adding((await authenticated(service, customer)).token),
    ends: [1],
  },
  {
    name: 'end an authentication that took too long',
    prepare: async (service, customer) => {
      await waiting(service, customer);
      await service.sql`update cards set next_attempt_at = now() where customer_id = ${customer.id}`;
      return completing;
    },
    ends: [0],
    states: ['failed'],
  },
  {
    name: 'complete an addition and another customer’s removal',
    prepare: async (service, customer) => {
      const other = await newCustomer(service.db);
      const { json } = await add(other, 'tok_visa');
      await injectFault(service, 'paymentMethods.detach', '500');
      await remove(other, json.card?.uuid ?? '');
      await leaveUnfinished(service, customer);
      return { ...completing, other: { customer: other, cards: 0 } };
    },
    ends: [1],
  },
  {
    name: 'event: the card was detached',
    prepare: async (service, customer) => {
      await add(customer, 'tok_visa');
      return first(await detachAll(service, customer));
    },
    ends: [0],
  },
  {
    name: 'event: the card of an unfinished addition was detached',
    prepare: async (service, customer) => {
      await leaveUnfinished(service, customer);
      return first(await detachAll(service, customer));
    },
    ends: [0],
  },
  {
    name: 'event: the issuer renewed the card to a number on file',
    prepare: async (service, customer) => {
      await add(customer, await tokenOf(service, number));
      const [renewed = ''] = await attachedAt(service, customer);
      await add(customer, await tokenOf(service, '5555555555554444'));
      await service.control(`POST payment_methods/${renewed}/update`, { number: '5555555555554444' });
      return delivering('payment_method.automatically_updated', renewed);
    },
    ends: [1],
  },
  {
    name: 'event: the customer was deleted',
    prepare: async (service, customer) => {
      await add(customer, 'tok_visa');
      await add(customer, 'tok_mastercard');
      return first(await deleteAtProvider(service, customer));
    },
    ends: [0],
  },
  {
    name: 'event: the cardholder authenticated the card',
    prepare: async (service, customer) =>
      delivering('setup_intent.succeeded', (await authenticated(service, customer)).setupIntentId),
    ends: [1],
  },
  {
    name: 'add, the card is detached in the dashboard, then retry',
    prepare: addsFresh,
    meanwhile: detachAll,
    ends: [0, 1],
  },
  {
    name: 'add, the customer is deleted in the dashboard, then retry',
    prepare: addsFresh,
    meanwhile: deleteAtProvider,
    ends: [0, 1],
  },
];

/** Operations that take effect at the provider while their response is lost. */
export const lostResponses = [
  { flow: addFlow, operation: 'paymentMethods.create', call: 'POST /v1/payment_methods' },
  { flow: addFlow, operation: 'customers.create', call: 'POST /v1/customers' },
  { flow: addFlow, operation: 'setupIntents.create', call: 'POST /v1/setup_intents' },
  { flow: removeFlow, operation: 'paymentMethods.detach', call: 'POST /v1/payment_methods/pm_…/detach' },
  { flow: renewFlow, operation: 'paymentMethods.detach', call: 'POST /v1/payment_methods/pm_…/detach' },
];
