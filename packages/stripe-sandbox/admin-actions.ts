/** The admin operations that change objects. */

import * as customers from './api/customers.ts';
import { isOperationName } from './api/operation.ts';
import { detach, isAttached } from './api/payment-method-objects.ts';
import type { Keys } from './api/request-headers.ts';
import { ACTION_RESULTS, finishAction } from './api/setup-intent-objects.ts';
import { fingerprintOf } from './api/tokens.ts';
import { cardByNumber, testCard } from './cards/test-cards.ts';
import { FAULT_KINDS, type Fault } from './state/faults.ts';
import type { Store, StoredPaymentMethod } from './state/store.ts';
import { type Deliveries, type EventOccasion, previousAttributes, recordEvent } from './webhooks.ts';

export type AdminContext = { store: Store; keys: Keys; deliveries: Deliveries };
export type Input = Record<string, unknown>;

export class AdminError extends Error {
  override name = 'AdminError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function change(context: AdminContext, work: () => unknown): void {
  context.store.transaction(work);
  context.deliveries.run();
}

/** @throws AdminError for an unknown operation or kind, or an invalid count */
export function faultFrom(input: Input): Fault {
  const { operation, kind } = input;
  const known = FAULT_KINDS.find((name) => name === String(kind));
  if (operation !== '*' && !isOperationName(operation))
    throw new AdminError(400, 'operation: not an operation of the API.');
  if (known === undefined) throw new AdminError(400, `kind: must be one of ${FAULT_KINDS.join(', ')}.`);
  const count = (name: string, fallback: number) => {
    const value = input[name] ?? fallback;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
    throw new AdminError(400, `${name}: must be a whole number.`);
  };
  return {
    operation,
    kind: known,
    times: count('times', 1),
    after: count('after', 0),
    delayMs: count('delayMs', 1000),
  };
}

function paymentMethod(store: Store, id: string): StoredPaymentMethod {
  const stored = store.find('payment_method', id);
  if (stored === undefined) throw new AdminError(404, 'No such payment method.');
  return stored;
}

/** Renews a card as its issuer does: a new expiry, perhaps a new number. */
export function updateCard(context: AdminContext, id: string, input: Input): void {
  const stored = paymentMethod(context.store, id);
  const card = stored.object.card;
  if (card === undefined) throw new AdminError(409, 'The payment method is not a card.');
  const { exp_month: expMonth, exp_year: expYear, last4, number } = input;
  const before = structuredClone(card);
  if (number !== undefined) changeNumber(context.store, stored, card, String(number));
  if (typeof expMonth === 'number') card.exp_month = expMonth;
  if (typeof expYear === 'number') card.exp_year = expYear;
  if (typeof last4 === 'string' && /^\d{4}$/.test(last4)) card.last4 = last4;
  const type: EventOccasion['type'] =
    input.event === 'payment_method.updated'
      ? 'payment_method.updated'
      : 'payment_method.automatically_updated';
  change(context, () => {
    context.store.save('payment_method', stored);
    recordEvent(context.store, {
      type,
      object: stored.object,
      previous: { card: previousAttributes(before, card) },
    });
  });
}

function changeNumber(
  store: Store,
  stored: StoredPaymentMethod,
  card: NonNullable<StoredPaymentMethod['object']['card']>,
  number: string,
): void {
  const name = cardByNumber(number);
  if (name === undefined) throw new AdminError(400, 'number: not a test card.');
  const { brand, funding, country } = testCard(name);
  stored.card = name;
  Object.assign(card, {
    brand,
    funding,
    country,
    last4: number.slice(-4),
    fingerprint: fingerprintOf(store, name),
  });
}

/** Ends the bank's authentication of a setup intent. */
export function completeAction({ store, deliveries }: AdminContext, id: string, input: Input): void {
  const intent = store.find('setup_intent', id)?.object;
  if (intent?.status !== 'requires_action') throw new AdminError(409, 'The setup intent requires no action.');
  const { result = 'authenticated' } = input;
  const known = ACTION_RESULTS.find((name) => name === result);
  if (!known) throw new AdminError(400, `result: must be one of ${ACTION_RESULTS.join(', ')}.`);
  store.transaction(() => finishAction(store, intent, known));
  deliveries.run();
}

/** As in the Stripe Dashboard. */
export function deleteCustomer(context: AdminContext, id: string): void {
  const { store } = context;
  const object = store.find('customer', id)?.object;
  if (object === undefined || object.deleted) throw new AdminError(404, 'No such customer.');
  change(context, () => customers.deleteCustomer(store, object, null));
}

/** @param customer null for all customers */
export function counts(store: Store, customer: string | null): object {
  const intents = store.list('setup_intent', customer).map(({ object }) => object);
  const methods = store.list('payment_method', customer).map(({ object }) => object);
  return {
    customers: store.list('customer').filter(({ object }) => !object.deleted).length,
    setup_intents: intents.length,
    setup_intents_succeeded: intents.filter(({ status }) => status === 'succeeded').length,
    payment_methods_attached: methods.filter((method) => isAttached(store, method)).length,
  };
}

/** As in the Stripe Dashboard. */
export function detachMethod(context: AdminContext, id: string): void {
  const stored = paymentMethod(context.store, id);
  if (stored.object.customer === null) throw new AdminError(409, 'The payment method is not attached.');
  change(context, () => detach(context.store, stored, null));
}
