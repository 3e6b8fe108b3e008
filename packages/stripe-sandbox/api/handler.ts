/** Stripe's API over HTTP, including the faults on the wire. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { cardByTestId, type TestCard, testCard } from '../cards/test-cards.ts';
import { BodyTooLarge, cors, hasType, readBody, send, sendJson } from '../http.ts';
import { type Fault, takeFault } from '../state/faults.ts';
import { lockIdempotencyKey } from '../state/idempotency.ts';
import { recordedHeaders, recordRequest, redactedBody } from '../state/requests.ts';
import type { Store } from '../state/store.ts';
import { customerOperations } from './customers.ts';
import {
  notFormEncoded,
  permissionMissing,
  providerFailure,
  rateLimited,
  StripeApiError,
  unauthenticated,
  unknownUrl,
} from './errors.ts';
import { eventOperations } from './events.ts';
import { execute } from './execute.ts';
import { type ApiResponse, type Call, newId, type Operation } from './operation.ts';
import { Params } from './params.ts';
import { paymentMethodOperations } from './payment-methods.ts';
import { API_VERSION, authenticate, type Keys, readIdempotencyKey, readVersion } from './request-headers.ts';
import { setupIntentOperations } from './setup-intents.ts';
import { tokenOperations } from './tokens.ts';

export type ApiContext = { store: Store; dataFile: string; keys: Keys; afterChange: () => void };
type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  requestId: string;
  apiVersion: string;
};

const routes = [
  ...tokenOperations,
  ...customerOperations,
  ...paymentMethodOperations,
  ...setupIntentOperations,
  ...eventOperations,
].map((operation) => ({
  operation,
  // `/v1/customers/search` is another operation of Stripe's, which the sandbox does not have.
  pattern: new RegExp(`^${operation.path.replace(/:\w+/g, '((?!search$)[^/]+)')}$`),
}));

/** Handles a request to `/v1/…`. */
export async function handleApi(
  context: ApiContext,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const exchange: Exchange = { request, response, url, requestId: newId('req'), apiVersion: API_VERSION };
  if (request.method === 'OPTIONS') return send(response, 204, '', cors(request));
  try {
    await respond(context, exchange, await readBody(request));
  } catch (error) {
    if (error instanceof StripeApiError)
      return sendResponse(exchange, { status: error.status, body: { error: error.fields } });
    if (error instanceof BodyTooLarge)
      return sendResponse(exchange, {
        status: 413,
        body: { error: { type: 'invalid_request_error', message: 'Request too large.' } },
      });
    if (request.destroyed && !request.complete) return;
    const { status, fields } = providerFailure();
    sendResponse(exchange, { status, body: { error: fields } });
    throw error;
  }
}

async function respond(context: ApiContext, exchange: Exchange, body: string): Promise<void> {
  const { request, url } = exchange;
  const match = matchRoute(request.method ?? 'GET', url.pathname);
  if (match === undefined) throw unknownUrl(request.method ?? 'GET', url.pathname);
  if (!hasType(request, body, 'application/x-www-form-urlencoded')) throw notFormEncoded();
  const params = new Params(request.method === 'POST' ? body : url.search.slice(1));
  const isFromBrowser = authenticate(
    context.keys,
    request.headers.authorization,
    params.text('key'),
    match.operation.isPublic === true,
  );
  record(context.store, exchange, body, match.operation.name);
  const { operation, id, childId } = match;
  exchange.apiVersion = readVersion(headerOf(request, 'stripe-version'));
  params.refuseUnknown([...operation.allowed, 'expand[*]']);
  await perform(context, exchange, operation, {
    store: context.store,
    params,
    id,
    childId,
    apiVersion: exchange.apiVersion,
    requestId: exchange.requestId,
    idempotencyKey: readIdempotencyKey(headerOf(request, 'idempotency-key')),
    isFromBrowser,
    clientAddress: request.socket.remoteAddress ?? null,
  });
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

type Match = { operation: Operation; id: string; childId: string };

function matchRoute(method: string, path: string): Match | undefined {
  for (const { operation, pattern } of routes) {
    const match = operation.method === method ? pattern.exec(path) : null;
    if (match) return { operation, id: match[1] ?? '', childId: match[2] ?? '' };
  }
  return undefined;
}

function record(
  store: Store,
  { request, url, requestId }: Exchange,
  body: string,
  operation: Operation['name'],
): void {
  recordRequest(store, {
    id: requestId,
    at: Date.now(),
    method: request.method ?? 'GET',
    path: redactedBody(url.pathname),
    query: redactedBody(url.search.slice(1)),
    body: redactedBody(body),
    headers: recordedHeaders(request.headers),
    operation,
  });
}

async function perform(
  context: ApiContext,
  exchange: Exchange,
  operation: Operation,
  call: Call,
): Promise<void> {
  const { request, response } = exchange;
  const isKeyed = operation.method === 'POST' && call.idempotencyKey !== null;
  const unlock = isKeyed ? lockIdempotencyKey(context.dataFile, call.idempotencyKey ?? '') : () => {};
  try {
    const fault = takeFault(call.store, operation.name) ?? faultOfToken(operation, call.params);
    if (fault?.kind === '401') throw unauthenticated('Expired API Key provided.');
    if (fault?.kind === '403') throw permissionMissing();
    if (fault?.kind === '429') throw rateLimited();
    if (fault?.kind === 'reset') return void request.socket.resetAndDestroy();
    if (fault?.kind === 'hang') return await closed(response);
    if (fault?.kind === 'slow') await delay(fault.delayMs);
    const result = execute(operation, call, `${operation.method} ${exchange.url.pathname}`, fault);
    if (operation.method !== 'GET') context.afterChange();
    deliver(exchange, result, fault);
  } finally {
    unlock();
  }
}

/** The fault of a test token that is exchanged for a payment method. */
function faultOfToken(operation: Operation, params: Params): TestCard['fault'] {
  if (operation.name !== 'paymentMethods.create') return undefined;
  const name = cardByTestId(params.text('card[token]') ?? '');
  return name === undefined ? undefined : testCard(name).fault;
}

const closed = (response: ServerResponse) => new Promise<void>((resolve) => response.once('close', resolve));

function deliver(exchange: Exchange, result: ApiResponse, fault: Pick<Fault, 'kind'> | undefined): void {
  if (fault?.kind === 'drop_after_commit') exchange.request.socket.destroy();
  else if (fault?.kind === 'broken_body')
    send(exchange.response, result.status, '{"id": "', responseHeaders(exchange, result));
  else sendResponse(exchange, result);
}

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
    ...(key !== undefined && request.method === 'POST' ? { 'Idempotency-Key': key } : {}),
    ...(originalRequestId === undefined
      ? {}
      : { 'Idempotent-Replayed': 'true', 'Original-Request': originalRequestId }),
    ...(status === 500 ? { 'Stripe-Should-Retry': 'false' } : {}),
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer realm="sandbox"' } : {}),
  };
}
