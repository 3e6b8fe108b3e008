/** The switches for tests, under `/_sandbox/`: faults, recorded requests, and what happens outside the API. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSameText, type Keys } from './api/authenticate.ts';
import { detach } from './api/payment-method-objects.ts';
import { isOperationName } from './api/routes.ts';
import { readBody, sendJson } from './http-messages.ts';
import { type EventOccasion, listEvents, recordEvent } from './state/events.ts';
import { addFault, clearFaults, FAULT_KINDS, type Fault, listFaults } from './state/faults.ts';
import { clearRequests, listRequests } from './state/requests.ts';
import type { Store, StoredPaymentMethod } from './state/store.ts';
import type { Deliveries } from './webhooks.ts';

export type ControlContext = { store: Store; keys: Keys; deliveries: Deliveries };

class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Input = Record<string, unknown>;
type Action = (context: ControlContext, id: string, input: Input, url: URL) => object;

const ACTIONS: Record<string, Action> = {
  'POST faults': ({ store }, _id, input) => addFault(store, faultFrom(input)),
  'GET faults': ({ store }) => ({ data: listFaults(store) }),
  'DELETE faults': ({ store }) => done(clearFaults(store)),
  'GET requests': ({ store }, _id, _input, url) => ({
    data: listRequests(store, url.searchParams.get('operation') ?? undefined),
  }),
  'DELETE requests': ({ store }) => done(clearRequests(store)),
  'GET events': ({ store }) => ({ data: listEvents(store) }),
  'POST events/:id/resend': ({ deliveries }, id) => {
    if (!deliveries.resend(id)) throw new Refused(404, 'No such event.');
    return done();
  },
  'PUT webhook': ({ deliveries }, _id, input) => {
    const { url, secret } = input;
    deliveries.target = typeof url === 'string' && typeof secret === 'string' ? { url, secret } : null;
    return done(deliveries.run());
  },
  'GET payment_methods': ({ store }, _id, _input, url) => ({
    data: store
      .list('payment_method', url.searchParams.get('customer'))
      .map(({ object, isDetached }) => ({ ...object, is_detached: isDetached }))
      .filter(({ customer }) => url.searchParams.get('attached') !== 'true' || customer !== null),
  }),
  'GET setup_intents': ({ store }, _id, _input, url) => ({
    data: store.list('setup_intent', url.searchParams.get('customer')).map(({ object }) => object),
  }),
  'GET customers': ({ store }) => ({ data: store.list('customer').map(({ object }) => object) }),
  'POST payment_methods/:id/update': updateCard,
  'POST payment_methods/:id/detach': (context, id) => {
    const stored = paymentMethod(context.store, id);
    if (stored.object.customer === null) throw new Refused(409, 'It is not attached.');
    return change(context, () => detach(context.store, stored, null));
  },
  'DELETE customers/:id': deleteCustomer,
  'GET customers/:id/counts': ({ store }, id) => counts(store, id),
  'GET counts': ({ store }) => counts(store, null),
  'POST reset': ({ store }) => done(store.clear()),
};

const done = (_result?: unknown) => ({ done: true });

function change(context: ControlContext, work: () => unknown): object {
  context.store.transaction(work);
  context.deliveries.run();
  return done();
}

function faultFrom(input: Input): Fault {
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
function updateCard(context: ControlContext, id: string, input: Input): object {
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
  return change(context, () => {
    context.store.save('payment_method', stored);
    recordEvent(context.store, { type, object: stored.object, previous: { card: before } });
  });
}

function deleteCustomer(context: ControlContext, id: string): object {
  const { store } = context;
  const object = store.find('customer', id)?.object;
  if (object === undefined || object.deleted) throw new Refused(404, 'No such customer.');
  return change(context, () => {
    for (const stored of store.list('payment_method', id)) {
      stored.object.customer = null;
      store.save('payment_method', { ...stored, isDetached: true });
    }
    store.save('customer', { object: { id, object: 'customer', deleted: true } });
    recordEvent(store, { type: 'customer.deleted', object });
  });
}

function counts(store: Store, customer: string | null): object {
  const intents = store.list('setup_intent', customer).map(({ object }) => object);
  const methods = store.list('payment_method', customer).map(({ object }) => object);
  return {
    customers: store.list('customer').filter(({ object }) => !object.deleted).length,
    setup_intents: intents.length,
    setup_intents_succeeded: intents.filter(({ status }) => status === 'succeeded').length,
    payment_methods_attached: methods.filter((method) => method.customer !== null).length,
  };
}

/** Answers a request to `/_sandbox/…`; all of them need the secret key. */
export async function handleControl(
  context: ControlContext,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (!isSameText(key, context.keys.secretKey))
    return sendJson(response, 401, { error: 'The secret key opens this.' });
  const parts = url.pathname.slice('/_sandbox/'.length).split('/');
  const [collection = '', id = '', verb] = parts;
  const name = [collection, ...(id ? [':id'] : []), ...(verb ? [verb] : [])].join('/');
  const action = ACTIONS[`${request.method} ${name}`];
  if (action === undefined) return sendJson(response, 404, { error: 'No such switch.' });
  try {
    const body = await readBody(request);
    const input: Input = body === '' ? {} : JSON.parse(body);
    sendJson(response, 200, action(context, decodeURIComponent(id), input, url));
  } catch (error) {
    if (error instanceof Refused) return sendJson(response, error.status, { error: error.message });
    if (error instanceof SyntaxError) return sendJson(response, 400, { error: 'The body is not JSON.' });
    throw error;
  }
}
