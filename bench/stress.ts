/** Ten times the load that can be carried, and a day's requests in a few minutes. */
import { readFile } from 'node:fs/promises';
import { type Load, load } from './load.ts';
import { quantile, say, seconds } from './measure.ts';
import type { Caller } from './place.ts';
import { headersOf } from './reads.ts';
import type { Target } from './targets.ts';

export type OverloadResult = {
  before: Load;
  during: Load;
  /** What one more client, with ten requests a second, saw of it. */
  probe: { answered: number; refused: number; p50Ms: number; p99Ms: number };
  /** The first second after. */
  after: Load;
};

const CALLERS = 256;
const TIMES = 10;

export async function measureOverload({ baseUrl }: Target, caller: Caller): Promise<OverloadResult> {
  const url = `${baseUrl}/api/schedule/v1/customers/detail`;
  const aim = { url, headers: headersOf(caller) };
  const before = await load({ ...aim, connections: CALLERS, seconds: seconds(5) });
  const stop = new AbortController();
  const probing = probe(url, headersOf(caller), stop.signal);
  const during = await load({
    ...aim,
    connections: CALLERS * TIMES,
    seconds: seconds(10),
    mayRefuse: true,
  });
  stop.abort();
  const after = await load({ ...aim, connections: CALLERS, seconds: 1 });
  const seen = await probing;
  say('overload');
  return { before, during, probe: seen, after };
}

async function probe(url: string, headers: Record<string, string>, signal: AbortSignal) {
  const times: number[] = [];
  let refused = 0;
  while (!signal.aborted) {
    const startedAt = performance.now();
    const answer = await fetch(url, { headers });
    await answer.arrayBuffer();
    if (answer.status === 200) times.push(performance.now() - startedAt);
    else refused += 1;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { answered: times.length, refused, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) };
}

export type SoakResult = {
  requests: number;
  /** Requests a second in each minute, the warm-up not counted. */
  perSecond: number[];
  /** Memory of the process after the warm-up and after each minute, in MiB. */
  memoryMib: number[];
};

/** A day of ten requests a second. */
const DAY = process.env.QUICK ? 1 : 24 * 3600 * 10;

/** @param callers in whose turn each request is made, more of them at once than one connection of the database takes on */
export async function measureSoak({ baseUrl, processId }: Target, callers: Caller[]): Promise<SoakResult> {
  const url = `${baseUrl}/api/schedule/v1/customers/detail`;
  const aim = { url, connections: 100, headers: callers.map(headersOf) };
  await load({ ...aim, seconds: seconds(60) });
  const result: SoakResult = { requests: 0, perSecond: [], memoryMib: [await memoryMib(processId)] };
  while (result.requests < DAY || result.perSecond.length < 3) {
    const { perSecond } = await load({ ...aim, seconds: seconds(60) });
    result.requests += Math.round(perSecond * seconds(60));
    result.perSecond.push(perSecond);
    result.memoryMib.push(await memoryMib(processId));
  }
  say('a day of requests');
  return result;
}

/** Resident memory, as the system counts it; NaN where the system does not say. */
export async function memoryMib(processId: number): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024;
}
