export type ApiFailure =
  | 'offline'
  | 'signed_out'
  | 'not_found'
  | 'in_flight'
  | 'provider'
  | 'rate_limited'
  | 'rejected'
  | 'server_error';

/** `message` is the API's own, or empty. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly failure: ApiFailure;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;

  constructor(failure: ApiFailure, message = '', retryAfterSeconds?: number, requestId?: string) {
    super(message);
    this.failure = failure;
    this.retryAfterSeconds = retryAfterSeconds;
    this.requestId = requestId;
  }
}

/** Whether the change may have been made, or be made later, although the request failed. */
export function isOutcomeUnknown(error: unknown): boolean {
  return (
    !(error instanceof ApiError) ||
    ['offline', 'in_flight', 'provider', 'server_error'].includes(error.failure)
  );
}

export function isRateLimited(error: unknown): boolean {
  return error instanceof ApiError && error.failure === 'rate_limited';
}

type FetchOptions = {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal;
  cache?: RequestCache;
};

/** Longer than the service's own timeout for the payment provider, so that its response arrives first. */
const timeoutMs = 40_000;

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
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    credentials: 'same-origin',
    cache,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError('offline');
  });
  const data: unknown = await response.json().catch(() => undefined);
  if (response.ok && data !== undefined) return data as Data;
  throw errorOf(response, data);
}

const failures: Record<number, ApiFailure> = {
  400: 'rejected',
  401: 'signed_out',
  403: 'signed_out',
  404: 'not_found',
  409: 'in_flight',
  422: 'rejected',
  424: 'provider',
  429: 'rate_limited',
};

function errorOf(response: Response, data: unknown): ApiError {
  const seconds = Number(response.headers.get('retry-after'));
  return new ApiError(
    failures[response.status] ?? 'server_error',
    messageOf(data),
    seconds > 0 ? seconds : undefined,
    response.headers.get('x-request-id') ?? undefined,
  );
}

function messageOf(data: unknown): string {
  if (typeof data !== 'object' || data === null || !('error' in data)) return '';
  const { error } = data;
  return typeof error === 'object' &&
    error !== null &&
    'message' in error &&
    typeof error.message === 'string'
    ? error.message
    : '';
}
