/** What the switches do that is more than reading and clearing. */
import type { Keys } from './api/authenticate.ts';
import { detach } from './api/payment-method-objects.ts';
import { isOperationName } from './api/routes.ts';
import { type EventOccasion, recordEvent } from './state/events.ts';
import { FAULT_KINDS, type Fault } from './state/faults.ts';
import type { Store, StoredPaymentMethod } from './state/store.ts';
import type { Deliveries } from './webhooks.ts';

export type ControlContext = { store: Store; keys: Keys; deliveries: Deliveries };

/** A switch that cannot be thrown, with the HTTP status that says so. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type Input = Record<string, unknown>;

function change(context: ControlContext, work: () => unknown): void {
  context.store.transaction(work);
  context.deliveries.run();
}

/** @throws Refused for an operation or a kind that there is not, or a count that is none */
export function faultFrom(input: Input): Fault {
  const { operation, kind } = input;
  const known = FAULT_KINDS.find((name) => name === String(kind));
  if (operation !== '*' && !isOperationName(operation))
    throw new Refused(400, 'operation: not one of the API.');
  if (known === undefined) throw new Refused(400, `kind: one of ${FAULT_KINDS.join(', ')}.`);
  const count = (name: string, fallback: number) => {
    const value = input[name] ?? fallback;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
    throw new Refused(400, `${name}: a whole number.`);
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
  if (stored === undefined) throw new Refused(404, 'No such payment method.');
  return stored;
}

/** As an issuer does it when a card is renewed: new expiry, perhaps a new number. */
export function updateCard(context: ControlContext, id: string, input: Input): void {
  const stored = paymentMethod(context.store, id);
  const card = stored.object.card;
  if (card === undefined) throw new Refused(409, 'It is not a card.');
  const { exp_month: expMonth, exp_year: expYear, last4 } = input;
  const before = { exp_month: card.exp_month, exp_year: card.exp_year, last4: card.last4 };
  if (typeof expMonth === 'number') card.exp_month = expMonth;
  if (typeof expYear === 'number') card.exp_year = expYear;
  if (typeof last4 === 'string' && /^\d{4}$/.test(last4)) card.last4 = last4;
  const type: EventOccasion['type'] =
    input.event === 'payment_method.updated'
      ? 'payment_method.updated'
      : 'payment_method.automatically_updated';
  change(context, () => {
    context.store.save('payment_method', stored);
    recordEvent(context.store, { type, object: stored.object, previous: { card: before } });
  });
}

/** As a person does it in the provider's dashboard; its cards are detached with it. */
export function deleteCustomer(context: ControlContext, id: string): void {
  const { store } = context;
  const object = store.find('customer', id)?.object;
  if (object === undefined || object.deleted) throw new Refused(404, 'No such customer.');
  change(context, () => {
    for (const stored of store.list('payment_method', id)) {
      stored.object.customer = null;
      store.save('payment_method', { ...stored, isDetached: true });
    }
    store.save('customer', { object: { id, object: 'customer', deleted: true } });
    recordEvent(store, { type: 'customer.deleted', object });
  });
}

/** @param customer null counts everyone's */
export function counts(store: Store, customer: string | null): object {
  const intents = store.list('setup_intent', customer).map(({ object }) => object);
  const methods = store.list('payment_method', customer).map(({ object }) => object);
  return {
    customers: store.list('customer').filter(({ object }) => !object.deleted).length,
    setup_intents: intents.length,
    setup_intents_succeeded: intents.filter(({ status }) => status === 'succeeded').length,
    payment_methods_attached: methods.filter((method) => method.customer !== null).length,
  };
}

/** As a person does it in the provider's dashboard. */
export function detachMethod(context: ControlContext, id: string): void {
  const stored = paymentMethod(context.store, id);
  if (stored.object.customer === null) throw new Refused(409, 'It is not attached.');
  change(context, () => detach(context.store, stored, null));
}
