/** The pages' own requests, to the API above all, with the session's cookie. */

export type ApiFailure =
  | 'offline'
  | 'signed_out'
  | 'not_found'
  | 'in_flight'
  | 'provider'
  | 'limited'
  | 'refused'
  | 'trouble';

/** Why a request brought nothing; `message` is the service's own where it gave one. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly failure: ApiFailure;
  /** Seconds until another try can help, where the service said so. */
  readonly retryAfterSeconds: number | undefined;
  /** Finds the request in the service's log. */
  readonly requestId: string | undefined;

  constructor(failure: ApiFailure, message = '', retryAfterSeconds?: number, requestId?: string) {
    super(message);
    this.failure = failure;
    this.retryAfterSeconds = retryAfterSeconds;
    this.requestId = requestId;
  }
}

/** Whether a change that failed so may yet have been made, or be finished later: no answer tells. */
export function leavesOpen(error: unknown): boolean {
  return (
    !(error instanceof ApiError) || ['offline', 'in_flight', 'provider', 'trouble'].includes(error.failure)
  );
}

/** Whether the same again is of no use before a wait is over. */
export function mustWait(error: unknown): boolean {
  return error instanceof ApiError && error.failure === 'limited';
}

type CallOptions = {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** Nothing is kept, unless this says otherwise. */
  cache?: RequestCache;
};

/** Longer than the service waits for the provider, so that its answer comes first. */
const patienceMs = 40_000;

/**
 * @param path below `/api/schedule/v1/`
 * @returns the answer's JSON, whose shape the contract promises
 * @throws ApiError
 */
export function callApi<Answer>(path: string, options?: CallOptions): Promise<Answer> {
  return callOwn(`/api/schedule/v1/${path}`, options);
}

/**
 * @param address one of our own
 * @returns the answer's JSON
 * @throws ApiError
 */
export async function callOwn<Answer>(
  address: string,
  { method = 'GET', body, idempotencyKey, signal, cache = 'no-store' }: CallOptions = {},
): Promise<Answer> {
  const patience = AbortSignal.timeout(patienceMs);
  const response = await fetch(address, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    credentials: 'same-origin',
    cache,
    signal: signal ? AbortSignal.any([signal, patience]) : patience,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError('offline');
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) return answer as Answer;
  throw failureOf(response, answer);
}

const failures: Record<number, ApiFailure> = {
  400: 'refused',
  401: 'signed_out',
  403: 'signed_out',
  404: 'not_found',
  409: 'in_flight',
  422: 'refused',
  424: 'provider',
  429: 'limited',
};

function failureOf(response: Response, answer: unknown): ApiError {
  const seconds = Number(response.headers.get('retry-after'));
  return new ApiError(
    failures[response.status] ?? 'trouble',
    messageOf(answer),
    seconds > 0 ? seconds : undefined,
    response.headers.get('x-request-id') ?? undefined,
  );
}

function messageOf(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return '';
  const { error } = answer;
  return typeof error === 'object' &&
    error !== null &&
    'message' in error &&
    typeof error.message === 'string'
    ? error.message
    : '';
}
