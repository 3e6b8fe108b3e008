/**
 * Closed loops of clients on one URL, each of which sends its next request when it has the response to the last: by
 * autocannon, and by wrk (https://github.com/wg/wrk), whose requests take a tenth of the CPU time.
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import { credentialHeaders } from '#tools/testing/factories.ts';
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

export function apiRequest(caller: Caller): LoadRequest {
  return { headers: credentialHeaders(caller) };
}

export function pageRequest(cookie: string): LoadRequest {
  return { headers: { Cookie: cookie, 'Accept-Encoding': 'gzip, br', Accept: 'text/html' } };
}

const execute = promisify(execFile);

export type WrkLoad = {
  url: string;
  connections: number;
  seconds: number;
  /** Sent in turns. */
  requests: LoadRequest[];
  /** Counts responses with this status instead of 200 and 304. */
  refusal?: number;
};

type Summary = Record<'requests' | 'elapsedUs' | 'refusals' | 'notOk' | 'lost' | 'p50Us' | 'p99Us', number>;

/**
 * @param folder for a temporary file
 * @returns the expected responses, and their latency in milliseconds
 * @throws Error on another status, and on a lost request
 */
export async function wrk(
  folder: string,
  { url, connections, seconds, requests, refusal }: WrkLoad,
): Promise<{ count: number; perSecond: number; p50Ms: number; p99Ms: number }> {
  const file = path.join(folder, 'requests.txt');
  const { pathname } = new URL(url);
  const lines = requests.map(({ path = pathname, headers }) =>
    [path, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\t'),
  );
  await writeFile(file, `${lines.join('\n')}\n`);
  const script = path.join(import.meta.dirname, 'requests.lua');
  const { stdout } = await execute('wrk', [
    ...['--threads=1', `--connections=${connections}`, `--duration=${Math.round(seconds)}s`],
    ...[`--script=${script}`, '--timeout=10s', url, '--', file, ...(refusal ? [`${refusal}`] : [])],
  ]);
  const summary: Summary = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  const count = refusal ? summary.refusals : summary.requests - summary.notOk;
  const unexpected = refusal ? summary.requests - summary.refusals : summary.notOk;
  // A caller that uses up its quota gets some 200s first.
  const unexpectedMax = refusal === 429 ? summary.requests / 2 : 0;
  if (unexpected > unexpectedMax || summary.lost > 0)
    throw new Error(`${url}: ${unexpected} responses with another status, and ${summary.lost} lost.`);
  const perSecond = count / (summary.elapsedUs / 1e6);
  return { count, perSecond, p50Ms: summary.p50Us / 1000, p99Ms: summary.p99Us / 1000 };
}

/** @throws Error if wrk is not installed */
export async function requireWrk(): Promise<void> {
  const isMissing = await execute('wrk', ['--version']).then(
    () => false,
    (error) => error.code === 'ENOENT',
  );
  if (isMissing) throw new Error('The benchmark needs wrk. Install it, for example: apt-get install wrk');
}
