/** A closed loop of callers against one address: each sends its next request when the last is answered. */
import autocannon from 'autocannon';

export type Load = {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers by status. */
  statuses: Record<string, number>;
  /** Requests that got no answer. */
  lost: number;
};

export type Aim = { url: string; connections: number; seconds: number; headers?: Record<string, string> };

/** @param aim.seconds how long; the first answers count too, so warm up before */
export async function load({ url, connections, seconds, headers = {} }: Aim): Promise<Load> {
  const result = await autocannon({ url, connections, duration: seconds, headers });
  const { errors, timeouts, latency, requests, duration } = result;
  const counts = Object.entries(result.statusCodeStats ?? {}).map(([code, { count }]) => [code, count ?? 0]);
  return {
    perSecond: requests.total / duration,
    p50Ms: latency.p50,
    p99Ms: latency.p99,
    statuses: Object.fromEntries(counts),
    lost: errors + timeouts,
  };
}
