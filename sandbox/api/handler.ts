/** The API over HTTP, with the faults that happen on the wire. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { BodyTooLarge, CORS, readBody, send, sendJson } from '../http-messages.ts';
import { type FaultState, takeFault } from '../state/faults.ts';
import { recordedHeaders, recordRequest, redactedBody } from '../state/requests.ts';
import type { Store } from '../state/store.ts';
import { authenticate, type Keys } from './authenticate.ts';
import {
  ApiError,
  invalidParameter,
  permissionMissing,
  providerFailure,
  rateLimited,
  unauthenticated,
} from './errors.ts';
import { execute, occupyKey } from './execute.ts';
import { newId } from './ids.ts';
import type { Call, Operation, Reply } from './operation.ts';
import { Params } from './params.ts';
import { operationAt } from './routes.ts';
import { API_VERSION } from './version.ts';

export type ApiContext = { store: Store; dataFile: string; keys: Keys; afterChange: () => void };
type Exchange = { request: IncomingMessage; response: ServerResponse; url: URL; requestId: string };

/** Answers a request to `/v1/…`. */
export async function handleApi(
  context: ApiContext,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const exchange: Exchange = { request, response, url, requestId: newId('req') };
  if (request.method === 'OPTIONS') return send(response, 204, '', CORS);
  try {
    await answer(context, exchange, await readBody(request));
  } catch (error) {
    if (error instanceof ApiError)
      return reply(exchange, { status: error.status, body: { error: error.fields } });
    if (error instanceof BodyTooLarge)
      return reply(exchange, {
        status: 413,
        body: { error: { type: 'invalid_request_error', message: 'Request too large.' } },
      });
    if (request.destroyed && !request.complete) return;
    const { status, fields } = providerFailure();
    reply(exchange, { status, body: { error: fields } });
    throw error;
  }
}

async function answer(context: ApiContext, exchange: Exchange, body: string): Promise<void> {
  const { request, url } = exchange;
  const { operation, id } = identify(context, exchange, body);
  const params = new Params(request.method === 'POST' ? body : url.search.slice(1));
  authenticate(context.keys, request.headers.authorization, params.text('key'), operation.isPublic === true);
  const version = request.headers['stripe-version'];
  if (version !== undefined && version !== API_VERSION)
    throw invalidParameter('Stripe-Version', `Invalid Stripe API version: ${version}`);
  params.refuseUnknown(operation.allowed);
  const key = request.headers['idempotency-key'];
  const call: Call = {
    store: context.store,
    params,
    id,
    requestId: exchange.requestId,
    idempotencyKey: typeof key === 'string' && key !== '' ? key : null,
    clientAddress: request.socket.remoteAddress ?? null,
  };
  await perform(context, exchange, operation, call);
}

/** Finds the operation and records the request, also where there is no such operation. */
function identify({ store }: ApiContext, { request, url, requestId }: Exchange, body: string) {
  const method = request.method ?? 'GET';
  const record = (operation: Operation['name'] | null) =>
    recordRequest(store, {
      id: requestId,
      at: Date.now(),
      method,
      path: redactedBody(url.pathname),
      query: redactedBody(url.search.slice(1)),
      body: redactedBody(body),
      headers: recordedHeaders(request.headers),
      operation,
    });
  try {
    const found = operationAt(method, url.pathname);
    record(found.operation.name);
    return found;
  } catch (error) {
    record(null);
    throw error;
  }
}

async function perform(
  context: ApiContext,
  exchange: Exchange,
  operation: Operation,
  call: Call,
): Promise<void> {
  const { request, response } = exchange;
  const isKeyed = operation.method === 'POST' && call.idempotencyKey !== null;
  const release = isKeyed ? occupyKey(context.dataFile, call.idempotencyKey ?? '') : () => {};
  try {
    const fault = takeFault(call.store, operation.name);
    if (fault?.kind === '401') throw unauthenticated('Expired API Key provided.');
    if (fault?.kind === '403') throw permissionMissing();
    if (fault?.kind === '429') throw rateLimited();
    if (fault?.kind === 'reset') return void request.socket.resetAndDestroy();
    if (fault?.kind === 'hang') return await closed(response);
    if (fault?.kind === 'slow') await wait(fault.delayMs);
    const result = execute(operation, call, `${operation.method} ${exchange.url.pathname}`, fault);
    if (operation.method === 'POST') context.afterChange();
    deliver(exchange, result, fault);
  } finally {
    release();
  }
}

const closed = (response: ServerResponse) => new Promise<void>((resolve) => response.once('close', resolve));

function deliver(exchange: Exchange, result: Reply, fault: FaultState | undefined): void {
  if (fault?.kind === 'drop_after_commit') exchange.request.socket.destroy();
  else if (fault?.kind === 'broken_body')
    send(exchange.response, result.status, '{"id": "', replyHeaders(exchange, result));
  else reply(exchange, result);
}

function reply(exchange: Exchange, result: Reply): void {
  sendJson(exchange.response, result.status, result.body, replyHeaders(exchange, result));
}

function replyHeaders({ request, requestId }: Exchange, { status, original }: Reply): Record<string, string> {
  const key = request.headers['idempotency-key'];
  return {
    ...CORS,
    'Content-Type': 'application/json',
    'Request-Id': requestId,
    'Stripe-Version': API_VERSION,
    ...(typeof key === 'string' && request.method === 'POST' ? { 'Idempotency-Key': key } : {}),
    ...(original === undefined ? {} : { 'Idempotent-Replayed': 'true', 'Original-Request': original }),
    ...(status === 500 ? { 'Stripe-Should-Retry': 'false' } : {}),
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer realm="sandbox"' } : {}),
  };
}
