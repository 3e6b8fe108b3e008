/** Ten times the sustainable load, and two million requests in a few minutes. */
import { readFile } from 'node:fs/promises';
import { paths } from './control.ts';
import type { Caller } from './environment.ts';
import { apiRequest, type Load, type LoadRequest, load, pageRequest } from './load.ts';
import { print } from './measure.ts';
import type { Target } from './targets.ts';

export type OverloadResult = {
  before: Load;
  during: Load;
  /** The first second after, in which clients reconnect. */
  firstSecond: Load;
  /** The seconds that follow. */
  after: Load;
};

const connections = 256;
const overloadFactor = 10;
const { detail: detailPath, payout: payoutPath } = paths;

export async function measureOverload({ baseUrl }: Target, caller: Caller): Promise<OverloadResult> {
  const options = { url: baseUrl + detailPath, requests: [apiRequest(caller)] };
  const before = await load({ ...options, connections, seconds: 5 });
  const during = await load({
    ...options,
    connections: connections * overloadFactor,
    seconds: 10,
    allowsOverload: true,
  });
  const firstSecond = await load({ ...options, connections, seconds: 1 });
  const after = await load({ ...options, connections, seconds: 5 });
  print('overload');
  return { before, during, firstSecond, after };
}

export type Minute = {
  perSecond: number;
  /** Divided by the rate of a control before and after it, so that other work on the machine cancels out. */
  controlRatio: number;
  /** At its end. */
  memoryMib: number;
};
/** Without the warm-up. */
export type SoakResult = { requests: number; memoryAtStartMib: number; minutes: Minute[] };

const requestsMin = 2_000_000;

/**
 * Sends reads with keys and with a session, conditional requests, requests without credentials, and pages.
 * @param cookie of a customer's session
 * @param control whose rate stays constant
 */
export async function measureSoak(
  { baseUrl, processId }: Target,
  callers: Caller[],
  cookie: string,
  control: Target,
): Promise<SoakResult> {
  const requests = await soakRequests(baseUrl, callers, cookie);
  const reads = { url: baseUrl, connections: 100, requests, expectedStatuses: [200, 304, 401] };
  const pageRequests = ['/', '/payout'].map((path) => ({ path, ...pageRequest(cookie) }));
  const pages = { url: baseUrl, connections: 2, requests: pageRequests, requestsPerSecondMax: 5 };
  const loadFor = async (usual: number) => {
    const time = { seconds: usual };
    const [read, page] = await Promise.all([load({ ...reads, ...time }), load({ ...pages, ...time })]);
    return read.perSecond + page.perSecond;
  };
  const details = { url: control.baseUrl + detailPath, requests: callers.map(apiRequest), connections: 100 };
  const controlRate = async () => (await load({ ...details, seconds: 10 })).perSecond;
  await loadFor(60);
  const result: SoakResult = { requests: 0, memoryAtStartMib: await memoryMib(processId), minutes: [] };
  let rateBefore = await controlRate();
  while (result.requests < requestsMin || result.minutes.length < 3) {
    const perSecond = await loadFor(60);
    const memory = await memoryMib(processId);
    const rateAfter = await controlRate();
    const controlRatio = perSecond / ((rateBefore + rateAfter) / 2);
    result.requests += Math.round(perSecond * 60);
    result.minutes.push({ perSecond, controlRatio, memoryMib: memory });
    rateBefore = rateAfter;
  }
  print('two million requests');
  return result;
}

async function soakRequests(baseUrl: string, callers: Caller[], cookie: string): Promise<LoadRequest[]> {
  const requests = callers.map(async (caller): Promise<LoadRequest[]> => {
    const { headers } = apiRequest(caller);
    const etag = (await fetch(baseUrl + detailPath, { headers })).headers.get('etag') ?? '';
    return [
      { path: detailPath, headers },
      { path: payoutPath, headers },
      { path: detailPath, headers: { ...headers, 'If-None-Match': etag } },
      { path: payoutPath, headers: { Cookie: cookie } },
      { path: payoutPath, headers: {} },
    ];
  });
  return (await Promise.all(requests)).flat();
}

/** @returns the resident memory; NaN where there is no `/proc` */
export async function memoryMib(processId: number): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024;
}
