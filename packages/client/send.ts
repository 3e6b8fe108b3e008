import { ConfigurationError, ConnectionError, errorOf, ScheduleError, ServerError } from './errors.ts';
import type { ErrorResponse } from './generated/schemas.ts';

/** One attempt of a call, for logs and metrics. */
export type Attempt = {
  method: string;
  url: string;
  /** From 1. */
  number: number;
  durationMs: number;
  /** Null without a response. */
  status: number | null;
  requestId: string | null;
  idempotencyKey: string | null;
  /** Whether this is the stored response to an earlier request. */
  isReplay: boolean;
  /** Of the response, such as `RateLimit`. Null without a response. */
  headers: Headers | null;
  /** Null if it succeeded. */
  error: unknown;
};

export type ResponseBody = Record<string, unknown>;

export type HttpRequest = {
  url: string;
  method: 'GET' | 'POST' | 'DELETE';
  headers: Record<string, string>;
  body?: string | undefined;
  idempotencyKey: string | null;
  /** Timeout of one attempt. */
  timeoutMs: number;
  /** Timeout of the call with its retries. */
  deadlineMs: number;
  /** Attempts after the first. */
  retries: number;
  signal?: AbortSignal | undefined;
  /** Whether a 2xx response has what the operation returns, and is not a proxy's. */
  isResponse: (body: ResponseBody) => boolean;
  onAttempt: ((attempt: Attempt) => void) | undefined;
  fetch: typeof globalThis.fetch;
};

const firstDelayMs = 250;
const retryableStatuses = new Set([408, 409, 424, 429]);

/**
 * Sends a request and retries it. All attempts carry the same headers, including the `Idempotency-Key`, so the work is
 * done once. While the service still processes an earlier attempt, it is asked for the outcome until the deadline.
 * @returns the parsed body of a 2xx response
 * @throws ScheduleError, or the reason of an aborted `signal`
 */
export async function send(request: HttpRequest): Promise<unknown> {
  const deadlineAt = performance.now() + request.deadlineMs;
  let retried = 0;
  let previous: ScheduleError | undefined;
  for (let number = 1; ; number += 1) {
    request.signal?.throwIfAborted();
    const leftMs = deadlineAt - performance.now();
    if (previous && leftMs <= 0) throw previous;
    try {
      return await attempt(request, number, Math.min(request.timeoutMs, Math.max(Math.ceil(leftMs), 1)));
    } catch (error) {
      if (!(error instanceof ScheduleError) || !isRetryable(error)) throw error;
      // An attempt that the deadline cut off says less than the response before it.
      if (performance.now() >= deadlineAt) throw previous ?? error;
      const isInFlight = error.type?.endsWith('_in_flight') ?? false;
      if (!isInFlight && retried >= request.retries) throw error;
      const delayMs = retryDelayMs(retried, error.retryAfterSeconds);
      if (performance.now() + delayMs >= deadlineAt) throw error;
      if (!isInFlight) retried += 1;
      previous = error;
      await delay(delayMs, request.signal);
    }
  }
}

/** `Retry-After` plus exponential backoff with jitter. */
export function retryDelayMs(retried: number, retryAfterSeconds: number | null): number {
  const backoffMs = firstDelayMs * 2 ** retried;
  return (retryAfterSeconds ?? 0) * 1000 + backoffMs * (0.5 + Math.random() / 2);
}

function isRetryable(error: ScheduleError): boolean {
  if (error instanceof ConnectionError) return true;
  const { status } = error;
  return status !== null && (status >= 500 || retryableStatuses.has(status));
}

async function attempt(request: HttpRequest, number: number, timeoutMs: number): Promise<unknown> {
  const startedAt = performance.now();
  let response: Response | undefined;
  let failure: unknown = null;
  try {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
    try {
      response = await request.fetch(request.url, {
        method: request.method,
        headers: request.headers,
        // Following a redirect would send the secret to another URL.
        redirect: 'manual',
        signal,
        body: request.body ?? null,
      });
      return read(request, response, await response.text());
    } catch (error) {
      if (error instanceof ScheduleError) throw error;
      request.signal?.throwIfAborted();
      const message = timeout.aborted ? `No response within ${timeoutMs} ms.` : 'The service is unreachable.';
      throw new ConnectionError(message, { ...idsOf(request, response), cause: error });
    }
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    void report(request, {
      method: request.method,
      url: request.url,
      number,
      durationMs: Math.round(performance.now() - startedAt),
      status: response?.status ?? null,
      ...idsOf(request, response),
      isReplay: response?.headers.get('Idempotent-Replayed') === 'true',
      headers: response?.headers ?? null,
      error: failure,
    });
  }
}

/** A failure to log changes nothing. */
async function report({ onAttempt }: HttpRequest, attempt: Attempt): Promise<void> {
  try {
    await onAttempt?.(attempt);
  } catch {}
}

function read(request: HttpRequest, response: Response, text: string): unknown {
  const { status, headers } = response;
  const ids = idsOf(request, response);
  const location = headers.get('Location');
  if (location && status >= 300 && status < 400)
    throw new ConfigurationError(
      `The service redirects to ${location}. Set baseUrl to the URL that it redirects to.`,
      { status, ...ids },
    );
  const parsed = parse(text);
  if (response.ok && parsed && request.isResponse(parsed)) return parsed;
  if (response.ok)
    throw new ServerError('The response is not one of this API. Check baseUrl.', { status, ...ids });
  const { error } = (parsed ?? {}) as Partial<ErrorResponse>;
  throw errorOf(error?.message ?? `The service returned ${status}.`, {
    status,
    type: error?.type,
    docUrl: error?.doc_url,
    details: error?.details,
    ...ids,
    retryAfterSeconds: secondsOf(headers.get('Retry-After')),
  });
}

/** @param retryAfter seconds or, from a proxy, a date */
function secondsOf(retryAfter: string | null): number | null {
  if (retryAfter && /^\d+$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter ?? '');
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

function parse(text: string): ResponseBody | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as ResponseBody) : undefined;
  } catch {
    return undefined;
  }
}

function idsOf({ idempotencyKey }: HttpRequest, response: Response | undefined) {
  return { requestId: response?.headers.get('X-Request-Id') ?? null, idempotencyKey };
}

async function delay(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
