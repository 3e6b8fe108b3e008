import { sandboxKeys, type TestService } from '#tools/testing/api.ts';
import type { TestCustomer } from '#tools/testing/factories.ts';
import { add, tokenOf } from '../support.ts';

export type CardRequest = { method: 'POST' | 'DELETE'; target: string };

/** One path through addCard or removeCard. */
export type Flow = {
  name: string;
  /** Adds the cards that the flow starts with. @returns the request to interrupt */
  prepare(service: TestService, customer: TestCustomer): Promise<CardRequest>;
  isRetried: boolean;
  /** The allowed numbers of cards at the end. */
  ends: number[];
};

const number = '4242424242424242';
const adding = (target: string): CardRequest => ({ method: 'POST', target });
const addsFresh: Flow['prepare'] = async (service) => adding(await tokenOf(service, number));

const removes: Flow['prepare'] = async (_service, customer) => {
  const { json } = await add(customer, 'tok_visa');
  return { method: 'DELETE', target: json.card?.uuid ?? '' };
};

/** The number is on file already. @param expYear of the second card; the first is of 2034 */
const addsAgain =
  (expYear: number): Flow['prepare'] =>
  async (service, customer) => {
    await add(customer, await tokenOf(service, number));
    return adding(await tokenOf(service, number, expYear));
  };

const addsPaymentMethod: Flow['prepare'] = async (service) => {
  const response = await fetch(`${service.sandbox.origin}/v1/payment_methods`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${sandboxKeys.secretKey}` },
    body: new URLSearchParams({ type: 'card', 'card[token]': await tokenOf(service, number) }),
  });
  const { id } = (await response.json()) as { id: string };
  return adding(id);
};

const authenticatedNumber = '4000000000003220';

/** The cardholder has authenticated the card, and the same token is posted again. */
const addsAuthenticated: Flow['prepare'] = async (service, customer) => {
  const token = await tokenOf(service, authenticatedNumber);
  const { json } = await add(customer, token);
  const [setupIntentId = ''] = json.next_action?.client_secret.split('_secret_') ?? [];
  await service.control(`POST setup_intents/${setupIntentId}/complete_action`);
  return adding(token);
};

const addFlow: Flow = { name: 'add, then retry', prepare: addsFresh, isRetried: true, ends: [1] };
const removeFlow: Flow = { name: 'remove, then retry', prepare: removes, isRetried: true, ends: [0] };
const renewFlow: Flow = {
  name: 'add with a new expiry, then retry',
  prepare: addsAgain(2039),
  isRetried: true,
  ends: [1],
};

export const flows: Flow[] = [
  addFlow,
  { name: 'add, without a retry', prepare: addsFresh, isRetried: false, ends: [0, 1] },
  removeFlow,
  renewFlow,
  {
    name: 'add what is on file already, then retry',
    prepare: addsAgain(2034),
    isRetried: true,
    ends: [1],
  },
  { name: 'add a payment method, then retry', prepare: addsPaymentMethod, isRetried: true, ends: [1] },
  {
    name: 'add a card that its bank wants authenticated, then retry',
    prepare: async (service) => adding(await tokenOf(service, authenticatedNumber)),
    isRetried: true,
    ends: [0],
  },
  { name: 'add an authenticated card, then retry', prepare: addsAuthenticated, isRetried: true, ends: [1] },
];

/** Operations that take effect at the provider while their response is lost. */
export const lostResponses = [
  { flow: addFlow, operation: 'paymentMethods.create', call: 'POST /v1/payment_methods' },
  { flow: addFlow, operation: 'customers.create', call: 'POST /v1/customers' },
  { flow: addFlow, operation: 'setupIntents.create', call: 'POST /v1/setup_intents' },
  { flow: removeFlow, operation: 'paymentMethods.detach', call: 'POST /v1/payment_methods/pm_…/detach' },
  { flow: renewFlow, operation: 'paymentMethods.detach', call: 'POST /v1/payment_methods/pm_…/detach' },
];
