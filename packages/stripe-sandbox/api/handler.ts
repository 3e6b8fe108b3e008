/** Stripe's API over HTTP, including the faults on the wire. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { cardByTestId, type TestCard, testCard } from '../cards/test-cards.ts';
import { BodyTooLarge, cors, hasType, readBody, send, sendJson } from '../http.ts';
import { recordedHeaders, recordRequest, redactedBody } from '../state/requests.ts';
import type { Store } from '../state/store.ts';
import type { Deliveries } from '../webhooks.ts';
import { customerOperations } from './customers.ts';
import { FAULT_ERRORS, invalidRequest, providerFailure, StripeApiError, unknownUrl } from './errors.ts';
import { type ApiResponse, execute, withKeyLocked } from './idempotency.ts';
import { type Call, newId, type Operation } from './operation.ts';
import { Params } from './params.ts';
import { paymentMethodOperations } from './payment-methods.ts';
import { API_VERSION, authenticate, type Keys, readIdempotencyKey, readVersion } from './request-headers.ts';
import { setupIntentOperations } from './setup-intents.ts';
import { tokenOperations } from './tokens.ts';

export type Context = { store: Store; keys: Keys; deliveries: Deliveries };
type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  requestId: string;
  apiVersion: string;
};

export const operations = [
  ...tokenOperations,
  ...customerOperations,
  ...paymentMethodOperations,
  ...setupIntentOperations,
];
const routes = operations.map((operation) => ({
  operation,
  // `/v1/customers/search` is an operation of its own.
  pattern: new RegExp(`^${operation.route.replace(/:(\w+)/g, '(?<$1>(?!search$)[^/]+)')}$`),
}));

/** Handles a request to `/v1/…`. */
export async function handleApi(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const exchange: Exchange = { request, response, url, requestId: newId('req'), apiVersion: API_VERSION };
  if (request.method === 'OPTIONS') return send(response, 204, '', cors(request));
  try {
    await respond(context, exchange, await readBody(request));
  } catch (error) {
    if (error instanceof StripeApiError) return sendResponse(exchange, error);
    if (error instanceof BodyTooLarge)
      return sendResponse(exchange, invalidRequest(413, { message: 'Request too large.' }));
    if (request.destroyed && !request.complete) return;
    sendResponse(exchange, providerFailure);
    throw error;
  }
}

async function respond(context: Context, exchange: Exchange, body: string): Promise<void> {
  const { request, url, requestId } = exchange;
  const { method = 'GET' } = request;
  const { operation, id } = findRoute(method, url.pathname);
  if (!hasType(request, body, 'application/x-www-form-urlencoded'))
    throw invalidRequest(400, { message: 'The body must be application/x-www-form-urlencoded.' });
  const params = new Params(method === 'POST' ? body : url.search.slice(1));
  const isFromBrowser = authenticate(
    context.keys,
    request.headers.authorization,
    params.text('key'),
    operation.isPublic === true,
  );
  recordRequest(context.store, {
    id: requestId,
    at: Date.now(),
    method,
    path: redactedBody(url.pathname),
    query: redactedBody(url.search.slice(1)),
    body: redactedBody(body),
    headers: recordedHeaders(request.headers),
    operation: operation.name,
  });
  exchange.apiVersion = readVersion(headerOf(request, 'stripe-version'));
  params.refuseUnknown([...(operation.allowed ?? []), 'expand[*]']);
  const key = readIdempotencyKey(headerOf(request, 'idempotency-key'));
  const call: Call = {
    ...{ store: context.store, params, path: url.pathname, id, requestId, isFromBrowser },
    apiVersion: exchange.apiVersion,
    idempotencyKey: method === 'POST' ? key : null,
    clientAddress: request.socket.remoteAddress ?? null,
  };
  await withKeyLocked(call, () => perform(context, exchange, operation, call));
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** @throws StripeApiError 404 */
function findRoute(method: string, path: string): { operation: Operation; id: string } {
  for (const { operation, pattern } of routes) {
    const match = pattern.exec(`${method} ${path}`);
    if (match) return { operation, id: '', ...match.groups };
  }
  throw unknownUrl(method, path);
}

async function perform(
  context: Context,
  exchange: Exchange,
  operation: Operation,
  call: Call,
): Promise<void> {
  const { request, response } = exchange;
  const fault = call.store.faults.take(operation.name) ?? faultOfToken(operation, call.params);
  const failure = fault && FAULT_ERRORS[fault.kind];
  if (failure?.isStored === false) throw failure;
  if (fault?.kind === 'reset') return void request.socket.resetAndDestroy();
  if (fault?.kind === 'hang') return await closed(response);
  if (fault?.kind === 'slow') await call.store.faults.delay(fault.delayMs);
  const result = execute(operation, call, fault?.kind);
  if (request.method !== 'GET') context.deliveries.run();
  if (fault?.kind === 'drop_after_commit') request.socket.destroy();
  else if (fault?.kind === 'broken_body')
    send(response, result.status, '{"id": "', responseHeaders(exchange, result));
  else sendResponse(exchange, result);
}

/** The fault of a test token that is exchanged for a payment method. */
function faultOfToken(operation: Operation, params: Params): TestCard['fault'] {
  if (operation.name !== 'paymentMethods.create') return undefined;
  const name = cardByTestId(params.text('card[token]') ?? '');
  return name === undefined ? undefined : testCard(name).fault;
}

const closed = (response: ServerResponse) => new Promise<void>((resolve) => response.once('close', resolve));

function sendResponse(exchange: Exchange, result: ApiResponse): void {
  sendJson(exchange.response, result.status, result.body, responseHeaders(exchange, result));
}

function responseHeaders(
  { request, requestId, apiVersion }: Exchange,
  { status, originalRequestId }: ApiResponse,
): Record<string, string> {
  const key = headerOf(request, 'idempotency-key');
  return {
    ...cors(request),
    'Content-Type': 'application/json',
    'Request-Id': requestId,
    'Stripe-Version': apiVersion,
    ...(key !== undefined && request.method === 'POST' && { 'Idempotency-Key': key }),
    ...(originalRequestId && { 'Idempotent-Replayed': 'true', 'Original-Request': originalRequestId }),
    ...(status === 500 && { 'Stripe-Should-Retry': 'false' }),
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer realm="sandbox"' }),
  };
}
