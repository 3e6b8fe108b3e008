import { randomUUID } from 'node:crypto';
import type { ProviderRequest } from '#src/payments/trace.ts';
import { nameTrace } from '#src/tracing.ts';
import { hasCardNumber } from './card-numbers.ts';
import { clientAddress } from './client-address.ts';
import type { RequestHeaders } from './messages.ts';
import type { ApiResponse, CallerLog, Context, Middleware } from './operation.ts';
import type { Services } from './services.ts';

type LoggedRequest = CallerLog & {
  operation: string;
  path?: string | undefined;
  address?: string;
  method: string;
  requestId: string;
  response: Pick<ApiResponse, 'status' | 'headers'>;
  /** From `performance.now()`. */
  startedAt: number;
  eventId?: string;
  eventType?: string;
  providerRequests?: ProviderRequest[];
  cause?: unknown;
};

/**
 * The caller's `X-Request-Id` if it is valid, or else a new one. It is logged, so card numbers are rejected.
 */
export function requestIdOf(headers: RequestHeaders): string {
  const requestId = headers.get('x-request-id');
  const isSane = requestId && /^[A-Za-z0-9._:-]{8,64}$/.test(requestId) && !hasCardNumber(requestId);
  return isSane ? requestId : randomUUID();
}

const pathCharsMax = 200;
/** Anything can be in the path of a request that matches no endpoint. */
const mayBeSecret = /(secret|tok|pm|sk|rk|whsec|seti)_/i;

/** @returns the path as it was sent: unlike in `new URL`, with `..` */
export function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
  return start === -1 ? '/' : (url.slice(start).split(/[?#]/, 1)[0] ?? '/');
}

/** The query is not logged. */
export function loggedPath(url: string): string | undefined {
  const path = pathOf(url);
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
    if (principal && log.channel === 'api') {
      const { customerId } = principal;
      const { status } = response;
      services.apiRequests.add({ customerId, at: new Date(), operation, status, elapsedMs, requestId });
    }
    const timing = { 'Server-Timing': `total;dur=${elapsedMs}` };
    return { ...response, headers: { ...context.responseHeaders, ...response.headers, ...timing } };
  };
};

/** @returns how many milliseconds the request took */
export function logResponse(operation: string, context: Context, response: ApiResponse): number {
  const { services, request, requestId, startedAt, log } = context;
  const { method, url } = request;
  const client = { path: loggedPath(url), address: clientAddress(request) };
  return writeLogLine(services, {
    ...{ operation, method, ...client, requestId, response, startedAt },
    ...log,
  });
}

/** Writes the one log line of a request. @returns how many milliseconds the request took */
export function writeLogLine({ log, metrics }: Services, request: LoggedRequest): number {
  const { response, providerRequests = [], cause, startedAt, ...named } = request;
  const { status, headers } = response;
  const elapsedMs = Math.round((performance.now() - startedAt) * 10) / 10;
  metrics?.requests.observe({ operation: named.operation, status }, elapsedMs / 1_000);
  if (named.eventType) metrics?.webhooks.inc({ type: named.eventType, status });
  const line = {
    ...named,
    traceId: nameTrace(`${named.method} ${named.operation}`),
    elapsedMs,
    status,
    ...(providerRequests.length > 0 && { provider: providerRequests }),
    ...(headers?.['Idempotent-Replayed'] && { replayed: true }),
    ...(cause !== undefined && { error: cause }),
  };
  if (status >= 500 && cause !== undefined) log.error(line, 'request');
  else if (status === 424 || status >= 500) log.warn(line, 'request');
  else if (named.operation.startsWith('health.')) log.debug(line, 'request');
  else log.info(line, 'request');
  return elapsedMs;
}
