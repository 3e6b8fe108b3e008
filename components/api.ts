import type { ErrorBody } from '#src/api/response.ts';
import type { ProblemCode } from '#src/errors.ts';

type ApiFailure =
  | 'offline'
  | 'signed_out'
  | 'not_found'
  | 'in_flight'
  | 'provider'
  | 'rate_limited'
  | 'rejected'
  | 'server_error';

type FailedResponse = {
  message?: string | undefined;
  type?: ProblemCode | undefined;
  retryAfterSeconds?: number | undefined;
  requestId?: string | undefined;
};

export class ApiError extends Error {
  override name = 'ApiError';
  readonly failure: ApiFailure;
  /** Empty without a response from the API. */
  readonly response: FailedResponse;

  constructor(failure: ApiFailure, response: FailedResponse = {}) {
    super(response.message);
    this.failure = failure;
    this.response = response;
  }
}

/** `crypto.randomUUID` needs https, and test mode does not. */
export function newIdempotencyKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** Whether the change may have been made, or be made later, although the request failed. */
export function isOutcomeUnknown(error: unknown): boolean {
  return (
    !(error instanceof ApiError) ||
    ['offline', 'in_flight', 'provider', 'server_error'].includes(error.failure)
  );
}

type FetchOptions = {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal;
  cache?: RequestCache;
};

/** Longer than three calls of the payment provider, each with a retry, can take, so that the service's response arrives first. */
const timeoutMs = 70_000;

/**
 * @param path below `/api/schedule/v1/`
 * @returns the response's JSON, in the shape that the API documents
 * @throws ApiError
 */
export function callApi<Data>(path: string, options?: FetchOptions): Promise<Data> {
  return fetchJson(`/api/schedule/v1/${path}`, options);
}

/**
 * Sends the session cookie.
 * @throws ApiError
 */
export async function fetchJson<Data>(
  url: string,
  { method = 'GET', body, idempotencyKey, signal, cache = 'no-store' }: FetchOptions = {},
): Promise<Data> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      ...sessionCustomer(),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    credentials: 'same-origin',
    cache,
    signal: signal ? anySignal([signal, timeout]) : timeout,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError('offline');
  });
  const data: unknown = await response.json().catch(() => undefined);
  if (response.ok && data !== undefined) return data as Data;
  throw errorOf(response, data);
}

/** `AbortSignal.any`, which Safari has only since version 17.4. */
function anySignal(signals: AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) signal.addEventListener('abort', () => controller.abort());
  return controller.signal;
}

/** The account that the page is of. The browser may have signed in to another one since. */
function sessionCustomer(): Record<string, string> {
  const { customer } = document.querySelector<HTMLElement>('[data-customer]')?.dataset ?? {};
  return customer === undefined ? {} : { 'x-session-customer': customer };
}

/** Any other type is `rejected` with a 4xx, and otherwise `server_error`. */
const failures: Partial<Record<ProblemCode, ApiFailure>> = {
  authentication_required: 'signed_out',
  account_disabled: 'signed_out',
  cross_site: 'signed_out',
  card_not_found: 'not_found',
  card_in_flight: 'in_flight',
  idempotency_in_flight: 'in_flight',
  provider_unavailable: 'provider',
  too_many_requests: 'rate_limited',
  too_many_declines: 'rate_limited',
  too_many_new_cards: 'rate_limited',
};

function errorOf(response: Response, data: unknown): ApiError {
  const { type, message } = (data as Partial<ErrorBody> | undefined)?.error ?? {};
  const seconds = Number(response.headers.get('retry-after'));
  const otherwise = response.status < 500 && type ? 'rejected' : 'server_error';
  return new ApiError(failures[type as ProblemCode] ?? otherwise, {
    type: type as ProblemCode | undefined,
    message,
    retryAfterSeconds: seconds > 0 ? seconds : undefined,
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}
