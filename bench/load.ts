/** A closed loop of callers against one address: each sends its next request when the last is answered. */
import autocannon from 'autocannon';

export type Load = {
  /** Right answers: a fast wrong one is no result. */
  perSecond: number;
  /** Of right answers, in whole milliseconds: the library counts in those. */
  p50Ms: number;
  p99Ms: number;
  /** Answers by status. */
  statuses: Record<string, number>;
  /** Requests that got no answer. */
  lost: number;
};

export type Aim = {
  url: string;
  connections: number;
  seconds: number;
  /** Of one caller, or of several in turns. */
  headers: Record<string, string> | Record<string, string>[];
  /** The right answer, 200 unless another is. */
  status?: number;
  /** Other answers that are no fault. */
  mayRefuse?: boolean;
};

/**
 * @param aim.seconds how long; the first answers count too, so warm up before
 * @throws Error for answers other than the right one, and for requests without an answer
 */
export async function load({
  url,
  connections,
  seconds,
  headers,
  status = 200,
  mayRefuse,
}: Aim): Promise<Load> {
  const requests = [headers].flat().map((of) => ({ headers: of }));
  // What is refused at once would make the times look short.
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests,
    excludeErrorStats: status < 300,
  });
  const counts = Object.entries(result.statusCodeStats ?? {}).map(
    ([code, { count = 0 }]) => [code, count] as const,
  );
  const statuses = Object.fromEntries(counts);
  const right = [`${status}`, ...(mayRefuse ? ['503'] : [])];
  if ((result.errors > 0 && !mayRefuse) || counts.some(([code]) => !right.includes(code)))
    throw new Error(
      `${url}: ${JSON.stringify(statuses)} and ${result.errors} lost, where ${right} is right.`,
    );
  return {
    perSecond: (statuses[status] ?? 0) / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    statuses,
    lost: result.errors,
  };
}
