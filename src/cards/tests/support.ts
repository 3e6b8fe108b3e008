import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { cards as cardsTable, customers } from '#db/schema.ts';
import { addCard } from '#src/api/operations/add-card.ts';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { removeCard } from '#src/api/operations/remove-card.ts';
import { call, sandboxKeys, type TestService } from '#tools/testing/api.ts';
import type { TestCustomer } from '#tools/testing/factories.ts';

export type AddCardBody = {
  status: boolean;
  message: string;
  code?: string;
  card: { id: number; uuid: string; isDefault: boolean } | null;
  replaced?: string;
  next_action?: { type: string; client_secret: string };
};
type Headers = Record<string, string>;

export const add = async (
  customer: TestCustomer,
  token: string,
  headers: Headers = {},
  card: object = {},
) => {
  const response = await call(addCard, customer, { body: { token, card }, headers });
  const json = response.json as unknown as AddCardBody;
  // Its client secret begins with its ID.
  const [setupIntentId = ''] = json.next_action?.client_secret.split('_secret_') ?? [];
  return { ...response, json, setupIntentId };
};

/** Ends the bank's authentication of a card. */
export const endChallenge = (service: TestService, setupIntentId: string, result = 'authenticated') =>
  service.control(`POST setup_intents/${setupIntentId}/complete_action`, { result });

export const remove = (customer: TestCustomer, selector: string | number, headers: Headers = {}) =>
  call(removeCard, customer, { params: { uuid: String(selector) }, headers });

export type ShownCard = {
  id: number;
  uuid: string;
  last4: string;
  expYear: string;
  brand: string;
  funding: string;
  isDefault: boolean;
};

export async function shownCards(customer: TestCustomer): Promise<ShownCard[]> {
  const { json } = await call(getCustomer, customer);
  return (json as unknown as { customer: { cards: ShownCard[] } }).customer.cards;
}

/** The payment methods that the provider has attached to the customer. */
export async function attachedAt(service: TestService, customer: TestCustomer): Promise<string[]> {
  const found = await ofProviderCustomer(service, customer, 'payment_methods', '&attached=true');
  return found.map(({ id }) => String(id));
}

/** The number of setup intents of the customer. */
export async function intentsOf(service: TestService, customer: TestCustomer): Promise<number> {
  return (await ofProviderCustomer(service, customer, 'setup_intents')).length;
}

async function ofProviderCustomer(service: TestService, customer: TestCustomer, kind: string, filter = '') {
  const id = await providerCustomerOf(service, customer);
  return id ? (await service.control(`GET ${kind}?customer=${id}${filter}`)).data : [];
}

/** @returns the ID of the customer at the provider; empty if it has none */
export async function providerCustomerOf({ db }: TestService, customer: TestCustomer): Promise<string> {
  const [row] = await db.select().from(customers).where(eq(customers.id, customer.id));
  return row?.providerCustomerId ?? '';
}

export async function statesOf(service: TestService, customer: TestCustomer): Promise<string[]> {
  const rows = await service.db.select().from(cardsTable).where(eq(cardsTable.customerId, customer.id));
  return rows.map(({ state }) => state).sort();
}

/** Leases run out and retries are due: what a completer finds after a while. */
export const leaseRunsOut = (service: TestService) =>
  service.sql`
    update cards set lease_until = now() - interval '1 second', next_attempt_at = now() - interval '1 second'
    where state in ('pending', 'removing')`;

/** Both sides agree and nothing is left halfway. @returns how many cards there are */
export async function expectSettled(service: TestService, customer: TestCustomer): Promise<number> {
  const shown = await shownCards(customer);
  expect(await attachedAt(service, customer)).toHaveLength(shown.length);
  const states = await statesOf(service, customer);
  expect(states.filter((state) => state === 'pending' || state === 'removing')).toEqual([]);
  return shown.length;
}

/** Calls the provider's API, unlike the service: as a browser, another server, or a checkout page of the same account. */
async function atProvider(
  { sandbox }: TestService,
  path: string,
  fields: Record<string, string>,
  signal?: AbortSignal,
): Promise<string> {
  const response = await fetch(`${sandbox.origin}/v1/${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${sandboxKeys.secretKey}` },
    body: new URLSearchParams(fields),
    ...(signal && { signal }),
  });
  const object = (await response.json()) as { id: string };
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(object)}`);
  return object.id;
}

export const paymentMethodOf = (service: TestService, token: string, signal?: AbortSignal) =>
  atProvider(service, 'payment_methods', { type: 'card', 'card[token]': token }, signal);

export async function attachElsewhere(
  service: TestService,
  owner: TestCustomer,
  paymentMethodId: string,
): Promise<void> {
  const customer = await providerCustomerOf(service, owner);
  await atProvider(service, `payment_methods/${paymentMethodId}/attach`, { customer });
}

/** Lets the next calls of an operation at the provider fail: by default two, because its library repeats a failed call once. */
export const injectFault = (service: TestService, operation: string, kind: string, times = 2) =>
  service.control('POST faults', { operation, kind, times });

/** The requests for an operation that the provider has received. */
export async function requestsTo(service: TestService, operation: string) {
  return (await service.control(`GET requests?operation=${operation}`)).data;
}

/** A token of a card number. @param zip checked by the bank; none by default */
export const tokenOf = (service: TestService, number = '4242424242424242', expYear = 2064, zip?: string) =>
  atProvider(service, 'tokens', {
    'card[number]': number,
    'card[exp_month]': '12',
    'card[exp_year]': String(expYear),
    'card[cvc]': number.startsWith('3') && number.length === 15 ? '1234' : '123',
    ...(zip && { 'card[address_zip]': zip }),
  });
