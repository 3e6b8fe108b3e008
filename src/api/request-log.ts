import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Origin } from '#src/audit.ts';
import type { ProviderRequest } from '#src/payments/trace.ts';
import { nameTrace } from '#src/tracing.ts';
import { hasCardNumber } from './card-numbers.ts';
import { clientAddress } from './client-address.ts';
import type { ApiRequest, HttpResponse, RequestHeaders } from './messages.ts';
import type { ApiResponse, Middleware } from './operation.ts';
import { HttpProblem } from './problems.ts';
import { problemResponse, toResponse } from './response.ts';
import { services } from './services.ts';

type LoggedRequest = {
  operation: string;
  path?: string | undefined;
  address?: string;
  /** Of a request that was authenticated. */
  channel?: Origin['channel'];
  keyPrefix?: string | undefined;
  method: string;
  requestId: string;
  response: Pick<ApiResponse, 'status' | 'headers'>;
  /** From `performance.now()`. */
  startedAt: number;
  customerId?: number | undefined;
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

/** @param url without its query, which is not logged */
export function loggedPath(url: string): string | undefined {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
  const path = (start === -1 ? '/' : url.slice(start)).split(/[?#]/, 1)[0]?.slice(0, pathCharsMax) ?? '/';
  return hasCardNumber(path) || mayBeSecret.test(path) ? undefined : path;
}

export function requestClient(request: ApiRequest): { path: string | undefined; address: string } {
  return { path: loggedPath(request.url), address: clientAddress(request) };
}

/** The outermost step: adds the headers and logs the request with its duration. */
export const logRequest: Middleware = ({ id: operation }) => {
  return async (context, next) => {
    const { services, request, requestId, startedAt } = context;
    const response = await next(context);
    const { method } = request;
    const elapsedMs = writeLogLine(services.log, {
      operation,
      method,
      ...requestClient(request),
      requestId,
      response,
      startedAt,
      ...context.log,
    });
    const { principal, log } = context;
    if (principal && log.channel === 'api') {
      const { customerId } = principal;
      services.apiRequests.add({
        customerId,
        at: new Date(),
        operation,
        status: response.status,
        elapsedMs,
        requestId,
      });
    }
    const timing = { 'Server-Timing': `total;dur=${elapsedMs}` };
    return { ...response, headers: { ...context.responseHeaders, ...response.headers, ...timing } };
  };
};

/** Writes the one log line of a request. @returns how many milliseconds the request took */
export function writeLogLine(log: Logger, request: LoggedRequest): number {
  const { response, providerRequests = [], cause, customerId, startedAt, ...named } = request;
  const { status, headers } = response;
  const elapsedMs = Math.round((performance.now() - startedAt) * 10) / 10;
  const { metrics } = services();
  metrics?.requests.observe({ operation: named.operation, status }, elapsedMs / 1_000);
  if (named.eventType) metrics?.webhooks.inc({ type: named.eventType, status });
  const line = {
    ...named,
    traceId: nameTrace(`${named.method} ${named.operation}`),
    elapsedMs,
    status,
    customerId,
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

/** Sends and logs a response without an operation. */
export function respondAndLog(
  request: ApiRequest,
  operation: string,
  outcome: ApiResponse | HttpProblem,
  startedAt = performance.now(),
): HttpResponse {
  const { headers, method } = request;
  const requestId = requestIdOf(headers);
  const isProblem = outcome instanceof HttpProblem;
  const response = isProblem ? problemResponse(outcome, { requestId, services: services() }) : outcome;
  const cause = isProblem ? outcome.cause : undefined;
  writeLogLine(services().log, {
    operation,
    method,
    ...requestClient(request),
    requestId,
    response,
    startedAt,
    cause,
  });
  return toResponse(response, requestId, method === 'HEAD');
}
