import { ScheduleError } from './errors.ts';
import type { ErrorResponse } from './generated/schemas.ts';

export type HttpRequest = {
  url: string;
  method: 'GET' | 'POST' | 'DELETE';
  headers: Record<string, string>;
  body?: string;
  /** Timeout of one attempt. */
  timeoutMs: number;
  /** Attempts after the first. */
  retries: number;
  signal?: AbortSignal;
  fetch: typeof globalThis.fetch;
};

const firstDelayMs = 250;
const delayMaxMs = 60_000;
const retryableStatuses = new Set([408, 409, 424, 429]);

/**
 * Sends a request and retries it. All attempts carry the same headers, including the `Idempotency-Key`, so the work is
 * done once.
 * @returns the parsed body of a 2xx response
 * @throws ScheduleError, or the reason of an aborted `signal`
 */
export async function send(request: HttpRequest): Promise<unknown> {
  for (let retried = 0; ; retried += 1) {
    request.signal?.throwIfAborted();
    try {
      return await attempt(request);
    } catch (error) {
      if (!(error instanceof ScheduleError) || retried >= request.retries || !isRetryable(error.status))
        throw error;
      const delayMs = retryDelayMs(retried, error.retryAfterSeconds);
      // For a longer delay, the caller decides what to do in the meantime.
      if (delayMs > delayMaxMs) throw error;
      await delay(delayMs, request.signal);
    }
  }
}

/** `Retry-After` plus exponential backoff with jitter. */
export function retryDelayMs(retried: number, retryAfterSeconds: number | null): number {
  const backoffMs = firstDelayMs * 2 ** retried;
  return (retryAfterSeconds ?? 0) * 1000 + backoffMs * (0.5 + Math.random() / 2);
}

async function attempt(request: HttpRequest): Promise<unknown> {
  const { url, method, headers, body, timeoutMs } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
  let response: Response | undefined;
  try {
    response = await request.fetch(url, {
      method,
      headers,
      // Following a redirect would send the secret to another URL.
      redirect: 'error',
      signal,
      ...(body !== undefined && { body }),
    });
    return read(response, await response.text());
  } catch (error) {
    if (error instanceof ScheduleError) throw error;
    request.signal?.throwIfAborted();
    const message = timeout.aborted ? `No response within ${timeoutMs} ms.` : 'The service is unreachable.';
    throw new ScheduleError(message, { status: null, requestId: requestIdOf(response), cause: error });
  }
}

function read(response: Response, text: string): unknown {
  const parsed = parse(text);
  if (response.ok && parsed !== undefined) return parsed;
  const error = (parsed as Partial<ErrorResponse> | undefined)?.error;
  const retryAfter = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
  const message = response.ok ? 'The response is not JSON.' : `The service returned ${response.status}.`;
  throw new ScheduleError(error?.message ?? message, {
    status: response.ok ? 502 : response.status,
    type: error?.type,
    docUrl: error?.doc_url,
    details: error?.details ?? [],
    requestId: requestIdOf(response),
    retryAfterSeconds: Number.isNaN(retryAfter) ? null : retryAfter,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function requestIdOf(response: Response | undefined): string | null {
  return response?.headers.get('X-Request-Id') ?? null;
}

function isRetryable(status: number | null): boolean {
  return status === null || status >= 500 || retryableStatuses.has(status);
}

function delay(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
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
