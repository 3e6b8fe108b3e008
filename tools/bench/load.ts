/** A closed loop of clients on one URL: each sends its next request when it has the response to the last. */
import autocannon from 'autocannon';
import type { Caller } from './environment.ts';
import { median, quantile } from './measure.ts';

export type Load = Rate & {
  /** Of 503 responses, in milliseconds. */
  overloadP99Ms: number;
  /** Number of responses by status. */
  statuses: Record<string, number>;
  /** Number of requests without a response. */
  lost: number;
};

/** Counts only responses with an expected status. autocannon measures latency in whole milliseconds. */
export type Rate = { perSecond: number; p50Ms: number; p99Ms: number };

/** The path is that of the URL by default. */
export type LoadRequest = { path?: string; headers: Record<string, string> };

export type LoadOptions = {
  url: string;
  connections: number;
  seconds: number;
  /** Sent in turns. */
  requests: LoadRequest[];
  /** Of all connections together. */
  requestsPerSecondMax?: number;
  /** 200 by default. */
  expectedStatuses?: number[];
  /** Also allows 503 responses and lost requests. */
  allowsOverload?: boolean;
};

/**
 * Includes the first responses, so warm up before.
 * @throws Error on a response with another status, and on a lost request
 */
export async function load(options: LoadOptions): Promise<Load> {
  const { url, connections, seconds, requests, requestsPerSecondMax, allowsOverload = false } = options;
  const { expectedStatuses = [200] } = options;
  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>();
  const instance = autocannon(
    {
      url,
      connections,
      duration: seconds,
      requests,
      // Fast 503s would lower the latency of the others.
      excludeErrorStats: expectedStatuses.every((status) => status < 400),
      ...(requestsPerSecondMax !== undefined && { overallRate: requestsPerSecondMax }),
    },
    (error, result) => (error ? reject(error) : resolve(result)),
  );
  const overloadMs: number[] = [];
  if (allowsOverload)
    instance.on('response', (_client, status, _bytes, elapsedMs) => {
      if (status === 503) overloadMs.push(elapsedMs);
    });
  const result = await promise;
  const statuses = Object.fromEntries(
    Object.entries(result.statusCodeStats ?? {}).map(([status, { count = 0 }]) => [status, count]),
  );
  const allowed = allowsOverload ? [...expectedStatuses, 503] : expectedStatuses;
  const isExpected = Object.keys(statuses).every((status) => allowed.includes(Number(status)));
  if (!isExpected || (result.errors > 0 && !allowsOverload))
    throw new Error(
      `${url}: ${JSON.stringify(statuses)} and ${result.errors} lost; expected only ${allowed.join(', ')}.`,
    );
  const count = expectedStatuses.reduce((sum, status) => sum + (statuses[status] ?? 0), 0);
  return {
    perSecond: count / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    overloadP99Ms: quantile(overloadMs, 0.99),
    statuses,
    lost: result.errors,
  };
}

export function medianRate(loads: Load[]): Rate {
  return {
    perSecond: median(loads.map(({ perSecond }) => perSecond)),
    p50Ms: median(loads.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(loads.map(({ p99Ms }) => p99Ms)),
  };
}

export function apiRequest({ apiKey, apiSecret }: Caller): LoadRequest {
  return { headers: { 'X-AUTH-APIKEY': apiKey, 'X-AUTH-APISECRET': apiSecret } };
}

export function pageRequest(cookie: string): LoadRequest {
  return { headers: { Cookie: cookie, 'Accept-Encoding': 'gzip, br', Accept: 'text/html' } };
}
