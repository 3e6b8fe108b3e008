/** The switches for tests, under `/_sandbox/`: faults, recorded requests, and what happens outside the API. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSameText } from './api/authenticate.ts';
import {
  type ControlContext,
  counts,
  deleteCustomer,
  detachMethod,
  faultFrom,
  type Input,
  Refused,
  updateCard,
} from './control-actions.ts';
import { readBody, sendJson } from './http-messages.ts';
import { listEvents } from './state/events.ts';
import { addFault, clearFaults, listFaults } from './state/faults.ts';
import { clearRequests, listRequests } from './state/requests.ts';

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
  'POST payment_methods/:id/update': (context, id, input) => done(updateCard(context, id, input)),
  'POST payment_methods/:id/detach': (context, id) => done(detachMethod(context, id)),
  'DELETE customers/:id': (context, id) => done(deleteCustomer(context, id)),
  'GET customers/:id/counts': ({ store }, id) => counts(store, id),
  'GET counts': ({ store }) => counts(store, null),
  'POST reset': ({ store }) => done(store.clear()),
};

const done = (_result?: unknown) => ({ done: true });

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
