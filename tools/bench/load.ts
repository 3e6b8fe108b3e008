/** A closed loop of callers against one address: each sends its next request when the last is answered. */
import autocannon from 'autocannon';
import { quantile } from './measure.ts';

export type Load = {
  /** Right answers: a fast wrong one is no result. */
  perSecond: number;
  /** Of right answers, in whole milliseconds: the library counts in those. */
  p50Ms: number;
  p99Ms: number;
  /** Of answers that say no, in milliseconds. */
  refusedP99Ms: number;
  /** Answers by status. */
  statuses: Record<string, number>;
  /** Requests that got no answer. */
  lost: number;
};

/** What is sent; the path is that of the url unless it has its own. */
export type Sent = { path?: string; headers: Record<string, string> };

export type Aim = {
  url: string;
  connections: number;
  seconds: number;
  /** In turns. */
  requests: Sent[];
  /** Of all callers together, where it is less than they could. */
  mostPerSecond?: number;
  /** The right answers, 200 unless others are. */
  right?: number[];
  /** Other answers that are no fault, and requests that got none. */
  mayRefuse?: boolean;
};

/**
 * @param aim.seconds how long; the first answers count too, so warm up before
 * @throws Error for answers other than the right ones, and for requests without an answer
 */
export async function load(aim: Aim): Promise<Load> {
  const { url, connections, seconds, requests, mostPerSecond, right = [200], mayRefuse = false } = aim;
  // What is refused at once would make the times look short.
  const excludeErrorStats = right.every((status) => status < 400);
  const limit = mostPerSecond === undefined ? {} : { overallRate: mostPerSecond };
  const refusedMs: number[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>();
  const running = autocannon(
    { url, connections, duration: seconds, requests, excludeErrorStats, ...limit },
    (error, result) => (error ? reject(error) : resolve(result)),
  );
  if (mayRefuse)
    running.on('response', (_client, status, _bytes, elapsedMs) => {
      if (status === 503) refusedMs.push(elapsedMs);
    });
  const result = await promise;
  const counts = Object.entries(result.statusCodeStats ?? {}).map(
    ([code, { count = 0 }]) => [Number(code), count] as const,
  );
  const statuses = Object.fromEntries(counts);
  const allowed = mayRefuse ? [...right, 503] : right;
  if ((!mayRefuse && result.errors > 0) || counts.some(([code]) => !allowed.includes(code)))
    throw new Error(
      `${url}: ${JSON.stringify(statuses)} and ${result.errors} lost, where ${allowed.join(', ')} is right.`,
    );
  const answered = right.map((status) => statuses[status] ?? 0).reduce((sum, count) => sum + count, 0);
  return {
    perSecond: answered / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    refusedP99Ms: quantile(refusedMs, 0.99),
    statuses,
    lost: result.errors,
  };
}
