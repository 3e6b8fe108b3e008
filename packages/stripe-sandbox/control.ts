/** The control API under `/_sandbox/`, for tests: faults, recorded requests, and what happens outside Stripe's API. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { deleteCustomer } from './api/customers.ts';
import { type Context, operations } from './api/handler.ts';
import { detach, isAttached } from './api/payment-method-objects.ts';
import { isSameKey } from './api/request-headers.ts';
import { ACTION_RESULTS, finishAction } from './api/setup-intent-objects.ts';
import { fingerprintOf } from './api/tokens.ts';
import { cardByNumber, testCard } from './cards/test-cards.ts';
import { BodyTooLarge, hasType, readBody, sendJson } from './http.ts';
import { FAULT_KINDS, type Fault } from './state/faults.ts';
import { clearRequests, listRequests } from './state/requests.ts';
import type { Store, StoredPaymentMethod } from './state/store.ts';
import { listEvents, previousAttributes, recordEvent } from './webhooks.ts';

type Input = Record<string, unknown>;
type Action = (context: Context, id: string, input: Input, query: URLSearchParams) => unknown;

class ControlError extends Error {
  override name = 'ControlError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Each runs in a transaction. Without a result, the response is `{"done": true}`. */
const ACTIONS: Record<string, Action> = {
  'POST faults': ({ store }, _id, input) => store.faults.add(faultFrom(input)),
  'GET faults': ({ store }) => ({ data: store.faults.all() }),
  'DELETE faults': ({ store }) => store.faults.clear(),
  'GET requests': ({ store }, _id, _input, query) => ({
    data: listRequests(store, query.get('operation') ?? undefined),
  }),
  'DELETE requests': ({ store }) => clearRequests(store),
  'GET events': ({ store }) => ({ data: listEvents(store) }),
  'POST events/:id/resend': ({ deliveries }, id) => {
    if (!deliveries.resend(id)) throw new ControlError(404, 'No such event.');
  },
  'PUT webhook': ({ deliveries }, _id, { url, secret }) => {
    deliveries.target = typeof url === 'string' && typeof secret === 'string' ? { url, secret } : null;
  },
  'GET payment_methods': ({ store }, _id, _input, query) => ({
    data: store
      .list('payment_method', query.get('customer'))
      .map(({ object, isDetached }) => ({ ...object, is_detached: isDetached }))
      .filter((method) => query.get('attached') !== 'true' || isAttached(store, method)),
  }),
  'GET setup_intents': ({ store }, _id, _input, query) => ({
    data: store.list('setup_intent', query.get('customer')).map(({ object }) => object),
  }),
  'POST setup_intents/:id/complete_action': completeAction,
  'GET customers': ({ store }) => ({ data: store.list('customer').map(({ object }) => object) }),
  'POST payment_methods/:id/update': updateCard,
  'POST payment_methods/:id/detach': ({ store }, id) => {
    const stored = paymentMethod(store, id);
    if (stored.object.customer === null) throw new ControlError(409, 'The payment method is not attached.');
    detach(store, stored, null);
  },
  'DELETE customers/:id': ({ store }, id) => {
    const object = store.find('customer', id)?.object;
    if (object === undefined || object.deleted) throw new ControlError(404, 'No such customer.');
    deleteCustomer(store, object, null);
  },
  'GET customers/:id/counts': ({ store }, id) => counts(store, id),
  'GET counts': ({ store }) => counts(store, null),
  'POST reset': ({ store }) => store.clear(),
};

/** Handles a request to `/_sandbox/…`, which needs the secret key and does not come from a page. */
export async function handleControl(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (request.headers.origin !== undefined)
    return sendJson(response, 403, { error: 'The control API is not for pages.' });
  if (!isSameKey(key, context.keys.secretKey))
    return sendJson(response, 401, { error: 'The control API needs the secret key.' });
  const [collection = '', id = '', verb] = url.pathname.slice('/_sandbox/'.length).split('/');
  const name = [collection, ...(id ? [':id'] : []), ...(verb ? [verb] : [])].join('/');
  const action = ACTIONS[`${request.method} ${name}`];
  if (action === undefined) return sendJson(response, 404, { error: 'No such control operation.' });
  try {
    const body = await readBody(request);
    if (!hasType(request, body, 'application/json'))
      return sendJson(response, 415, { error: 'The body must be application/json.' });
    const input: Input = body === '' ? {} : JSON.parse(body);
    const run = () => action(context, decodeURIComponent(id), input, url.searchParams);
    const result = context.store.transaction(run);
    if (request.method !== 'GET') context.deliveries.run();
    sendJson(response, 200, result ?? { done: true });
  } catch (error) {
    if (error instanceof ControlError) return sendJson(response, error.status, { error: error.message });
    if (error instanceof BodyTooLarge) return sendJson(response, 413, { error: 'Request too large.' });
    if (error instanceof SyntaxError) return sendJson(response, 400, { error: 'The body is not JSON.' });
    throw error;
  }
}

/** @throws ControlError for an unknown operation or kind, or an invalid count */
function faultFrom(input: Input): Fault {
  const operation = String(input.operation);
  const kind = FAULT_KINDS.find((known) => known === String(input.kind));
  if (operation !== '*' && !operations.some(({ name }) => name === operation))
    throw new ControlError(400, 'operation: not an operation of the API.');
  if (kind === undefined) throw new ControlError(400, `kind: must be one of ${FAULT_KINDS.join(', ')}.`);
  const count = (name: string, fallback: number) => {
    const value = input[name] ?? fallback;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
    throw new ControlError(400, `${name}: must be a whole number.`);
  };
  return {
    ...{ operation, kind, times: count('times', 1), after: count('after', 0) },
    delayMs: count('delayMs', 1000),
  };
}

function paymentMethod(store: Store, id: string): StoredPaymentMethod {
  const stored = store.find('payment_method', id);
  if (stored === undefined) throw new ControlError(404, 'No such payment method.');
  return stored;
}

/** Renews a card as its issuer does: a new expiry, perhaps a new number. */
function updateCard({ store }: Context, id: string, input: Input): void {
  const stored = paymentMethod(store, id);
  const { card } = stored.object;
  if (card === undefined) throw new ControlError(409, 'The payment method is not a card.');
  const { exp_month: expMonth, exp_year: expYear, last4, number } = input;
  const before = structuredClone(card);
  if (number !== undefined) {
    const name = cardByNumber(String(number));
    if (name === undefined) throw new ControlError(400, 'number: not a test card.');
    const { brand, funding, country } = testCard(name);
    stored.card = name;
    Object.assign(card, { brand, funding, country, last4: String(number).slice(-4) });
    card.fingerprint = fingerprintOf(store, name);
  }
  if (typeof expMonth === 'number') card.exp_month = expMonth;
  if (typeof expYear === 'number') card.exp_year = expYear;
  if (typeof last4 === 'string' && /^\d{4}$/.test(last4)) card.last4 = last4;
  store.save('payment_method', stored);
  const isAutomatic = input.event !== 'payment_method.updated';
  recordEvent(store, {
    type: isAutomatic ? 'payment_method.automatically_updated' : 'payment_method.updated',
    object: stored.object,
    previous: { card: previousAttributes(before, card) },
  });
}

/** Ends the bank's authentication of a setup intent. */
function completeAction({ store }: Context, id: string, { result = 'authenticated' }: Input): void {
  const intent = store.find('setup_intent', id)?.object;
  if (intent?.status !== 'requires_action')
    throw new ControlError(409, 'The setup intent requires no action.');
  const known = ACTION_RESULTS.find((name) => name === result);
  if (!known) throw new ControlError(400, `result: must be one of ${ACTION_RESULTS.join(', ')}.`);
  finishAction(store, intent, known);
}

/** @param customer null for all customers */
function counts(store: Store, customer: string | null): object {
  const intents = store.list('setup_intent', customer).map(({ object }) => object);
  const methods = store.list('payment_method', customer).map(({ object }) => object);
  return {
    customers: store.list('customer').filter(({ object }) => !object.deleted).length,
    setup_intents: intents.length,
    setup_intents_succeeded: intents.filter(({ status }) => status === 'succeeded').length,
    payment_methods_attached: methods.filter((method) => isAttached(store, method)).length,
  };
}
