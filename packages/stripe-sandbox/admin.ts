/** The admin API under `/_sandbox/`, for tests: faults, recorded requests, and what happens outside Stripe's API. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type AdminContext,
  AdminError,
  completeAction,
  counts,
  deleteCustomer,
  detachMethod,
  faultFrom,
  type Input,
  updateCard,
} from './admin-actions.ts';
import { isAttached } from './api/payment-method-objects.ts';
import { isSameKey } from './api/request-headers.ts';
import { BodyTooLarge, hasType, readBody, sendJson } from './http.ts';
import { addFault, clearFaults, listFaults } from './state/faults.ts';
import { clearRequests, listRequests } from './state/requests.ts';
import { listEvents } from './webhooks.ts';

type Action = (context: AdminContext, id: string, input: Input, url: URL) => object;

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
    if (!deliveries.resend(id)) throw new AdminError(404, 'No such event.');
    return done();
  },
  'PUT webhook': ({ deliveries }, _id, { url, secret }) => {
    deliveries.target = typeof url === 'string' && typeof secret === 'string' ? { url, secret } : null;
    return done(deliveries.run());
  },
  'GET payment_methods': ({ store }, _id, _input, url) => ({
    data: store
      .list('payment_method', url.searchParams.get('customer'))
      .map(({ object, isDetached }) => ({ ...object, is_detached: isDetached }))
      .filter((method) => url.searchParams.get('attached') !== 'true' || isAttached(store, method)),
  }),
  'GET setup_intents': ({ store }, _id, _input, url) => ({
    data: store.list('setup_intent', url.searchParams.get('customer')).map(({ object }) => object),
  }),
  'POST setup_intents/:id/complete_action': (context, id, input) => done(completeAction(context, id, input)),
  'GET customers': ({ store }) => ({ data: store.list('customer').map(({ object }) => object) }),
  'POST payment_methods/:id/update': (context, id, input) => done(updateCard(context, id, input)),
  'POST payment_methods/:id/detach': (context, id) => done(detachMethod(context, id)),
  'DELETE customers/:id': (context, id) => done(deleteCustomer(context, id)),
  'GET customers/:id/counts': ({ store }, id) => counts(store, id),
  'GET counts': ({ store }) => counts(store, null),
  'POST reset': ({ store }) => done(store.clear()),
};

const done = (_result?: unknown) => ({ done: true });

/** Handles a request to `/_sandbox/…`, which needs the secret key and does not come from a page. */
export async function handleAdmin(
  context: AdminContext,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (request.headers.origin !== undefined)
    return sendJson(response, 403, { error: 'The admin API is not for pages.' });
  if (!isSameKey(key, context.keys.secretKey))
    return sendJson(response, 401, { error: 'The admin API needs the secret key.' });
  const [collection = '', id = '', verb] = url.pathname.slice('/_sandbox/'.length).split('/');
  const name = [collection, ...(id ? [':id'] : []), ...(verb ? [verb] : [])].join('/');
  const action = ACTIONS[`${request.method} ${name}`];
  if (action === undefined) return sendJson(response, 404, { error: 'No such admin operation.' });
  try {
    const body = await readBody(request);
    if (!hasType(request, body, 'application/json'))
      return sendJson(response, 415, { error: 'The body must be application/json.' });
    const input: Input = body === '' ? {} : JSON.parse(body);
    sendJson(response, 200, action(context, decodeURIComponent(id), input, url));
  } catch (error) {
    if (error instanceof AdminError) return sendJson(response, error.status, { error: error.message });
    if (error instanceof BodyTooLarge) return sendJson(response, 413, { error: 'Request too large.' });
    if (error instanceof SyntaxError) return sendJson(response, 400, { error: 'The body is not JSON.' });
    throw error;
  }
}
