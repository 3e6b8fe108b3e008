import { randomUUID } from 'node:crypto';
import { nameTrace } from '#src/tracing.ts';
import { hasCardNumber } from './card-numbers.ts';
import { clientAddress } from './client-address.ts';
import type { RequestHeaders } from './messages.ts';
import type { ApiResponse, Middleware, RequestContext } from './operation.ts';
import type { Services } from './services.ts';

type LoggedRequest = {
  operation: string;
  method: string;
  path: string | undefined;
  address: string | undefined;
  requestId: string;
  /** From `performance.now()`. */
  startedAt: number;
  response: Pick<ApiResponse, 'status' | 'headers'>;
  log?: Partial<RequestContext['log']>;
};

/**
 * The caller's `X-Request-Id` if it is valid, or else a new one. It is logged, so card numbers and secrets are rejected.
 */
export function requestIdOf(headers: RequestHeaders): string {
  const requestId = headers.get('x-request-id');
  const isSane = requestId && /^[A-Za-z0-9._:-]{8,64}$/.test(requestId) && !hasSecret(requestId);
  return isSane ? requestId : randomUUID();
}

const pathCharsMax = 200;
/** Where a number or secret ends that begins in the logged part, also percent-encoded. The rest of a path costs no time. */
const checkedCharsMax = 2_000;
/**
 * Anything can be in a path that matches no endpoint, and in a request ID. Short prefixes count only where a word begins, so
 * `task_1` has none.
 */
const mayBeSecret = /(secret|whsec|seti)_|(?<![a-z\d])(b?tok|pm|[ers]k)_/i;

/** @returns the path as it was sent: unlike in `new URL`, with `..`; empty if the URL is not known */
export function pathOf(url: string): string {
  const start = url === '' || url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
  return start === -1 ? '/' : (url.slice(start).split(/[?#]/, 1)[0] ?? '/');
}

/** The query is not logged. */
export function loggedPath(url: string): string | undefined {
  const path = pathOf(url).slice(0, checkedCharsMax);
  const isSecret = hasSecret(path) || (path.includes('%') && hasSecret(decoded(path)));
  return isSecret ? undefined : path.slice(0, pathCharsMax);
}

function hasSecret(text: string): boolean {
  return hasCardNumber(text) || mayBeSecret.test(text);
}

/** Unlike `decodeURIComponent`, decodes the rest of a text that is not valid, and what was encoded twice. */
function decoded(text: string): string {
  const bytes = text.replace(/%(?:25)*([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The outermost step: adds the headers and logs the request with its duration. */
export const logRequest: Middleware = ({ id: operation }) => {
  return async (context, next) => {
    const response = await next(context);
    const elapsedMs = logResponse(operation, context, response);
    const { principal, log, services, requestId } = context;
    if (principal && log.channel === 'api' && !log.isUnlisted) {
      const { customerId } = principal;
      const { status } = response;
      services.apiRequests.add({ customerId, at: new Date(), operation, status, elapsedMs, requestId });
    }
    context.responseHeaders['Server-Timing'] = `total;dur=${elapsedMs}`;
    return response;
  };
};

/** @returns how many milliseconds the request took */
export function logResponse(operation: string, context: RequestContext, response: ApiResponse): number {
  const { services, request, requestId, startedAt, log } = context;
  const { method, url } = request;
  const client = { path: loggedPath(url), address: clientAddress(request) };
  return writeLogLine(services, { operation, method, ...client, requestId, startedAt, response, log });
}

/** Writes the one log line of a request. @returns how many milliseconds the request took */
export function writeLogLine(services: Services, request: LoggedRequest): number {
  const { operation, method, path, address, requestId, startedAt, response, log = {} } = request;
  const { customerId, channel, keyPrefix, eventId, eventType, providerRequests = [], cause } = log;
  const { status, headers } = response;
  const elapsedMs = Math.round((performance.now() - startedAt) * 10) / 10;
  const { metrics } = services;
  metrics?.requests.observe({ operation, status }, elapsedMs / 1_000);
  if (eventType) metrics?.webhooks.inc({ type: eventType, status });
  const caller = { customerId, channel, keyPrefix };
  const line = {
    ...{ operation, path, address, method, requestId, ...caller, eventId, eventType },
    traceId: nameTrace(`${method} ${operation}`),
    elapsedMs,
    status,
    provider: providerRequests.length > 0 ? providerRequests : undefined,
    replayed: headers?.['Idempotent-Replayed'] ? true : undefined,
    error: cause,
  };
  if (status >= 500 && cause !== undefined) services.log.error(line, 'request');
  else if (status === 424 || status >= 500) services.log.warn(line, 'request');
  else if (operation.startsWith('health.')) services.log.debug(line, 'request');
  else services.log.info(line, 'request');
  return elapsedMs;
}
