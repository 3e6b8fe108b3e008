import { type ErrorDetail, ScheduleError } from './errors.ts';

export type Sending = {
  url: string;
  method: 'GET' | 'POST' | 'DELETE';
  headers: Record<string, string>;
  body?: string;
  /** For one try, in milliseconds. */
  timeoutMs: number;
  /** Tries after the first. */
  retries: number;
  signal?: AbortSignal;
  fetch: typeof globalThis.fetch;
};

const firstWaitMs = 250;
const longestWaitMs = 60_000;
const curable = new Set([408, 409, 424, 429]);

/**
 * Sends a request until it is answered for good, or the tries are used up. Every try carries the same headers, an
 * `Idempotency-Key` among them, so that no try does the work twice.
 * @returns the parsed body of a 2xx
 * @throws ScheduleError; the reason of `signal` when it was aborted
 */
export async function send(sending: Sending): Promise<unknown> {
  for (let tried = 0; ; tried += 1) {
    sending.signal?.throwIfAborted();
    try {
      return await attempt(sending);
    } catch (error) {
      if (!(error instanceof ScheduleError) || tried >= sending.retries || !isCurable(error.status))
        throw error;
      const waitMs = waitBefore(tried, error.retryAfterSeconds);
      // Whoever asked for this long a pause should decide what to do until then.
      if (waitMs > longestWaitMs) throw error;
      await pause(waitMs, sending.signal);
    }
  }
}

/** Never earlier than the service asks for; doubled each time, and spread so that many callers do not come back at once. */
export function waitBefore(tried: number, retryAfterSeconds: number | null): number {
  const backoffMs = firstWaitMs * 2 ** tried;
  return (retryAfterSeconds ?? 0) * 1000 + backoffMs * (0.5 + Math.random() / 2);
}

async function attempt(sending: Sending): Promise<unknown> {
  const { url, method, headers, body, timeoutMs } = sending;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = sending.signal ? AbortSignal.any([sending.signal, timeout]) : timeout;
  let response: Response | undefined;
  try {
    // A redirect would carry the secret to another address.
    const request = {
      method,
      headers,
      redirect: 'error',
      signal,
      ...(body !== undefined && { body }),
    } as const;
    response = await sending.fetch(url, request);
    return read(response, await response.text());
  } catch (error) {
    if (error instanceof ScheduleError) throw error;
    sending.signal?.throwIfAborted();
    const message = timeout.aborted
      ? `No answer within ${timeoutMs} ms.`
      : 'The service could not be reached.';
    throw new ScheduleError(message, { status: null, requestId: requestIdOf(response), cause: error });
  }
}

function read(response: Response, text: string): unknown {
  const parsed = parse(text);
  if (response.ok && parsed !== undefined) return parsed;
  const error = (parsed as { error?: { message?: string; details?: ErrorDetail[] } } | undefined)?.error;
  const retryAfter = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
  const message = response.ok ? 'The answer is not JSON.' : `The service answered ${response.status}.`;
  throw new ScheduleError(error?.message ?? message, {
    status: response.ok ? 502 : response.status,
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

function isCurable(status: number | null): boolean {
  return status === null || status >= 500 || curable.has(status);
}

function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, waitMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
