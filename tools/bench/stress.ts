/** Ten times the load that can be carried, and a day's requests in a few minutes. */
import { readFile } from 'node:fs/promises';
import type { Caller } from './environment.ts';
import { type Load, load, type Sent } from './load.ts';
import { say, seconds } from './measure.ts';
import { asBrowser } from './pages.ts';
import { sentBy } from './reads.ts';
import type { Target } from './targets.ts';

export type OverloadResult = {
  before: Load;
  during: Load;
  /** The first second after, in which callers connect anew. */
  firstSecond: Load;
  /** What comes then. */
  after: Load;
};

const CALLERS = 256;
const TIMES = 10;
const DETAIL = '/api/schedule/v1/customers/detail';
const PAYOUT = '/api/schedule/v1/customers/payout';

export async function measureOverload({ baseUrl }: Target, caller: Caller): Promise<OverloadResult> {
  const aim = { url: baseUrl + DETAIL, requests: [sentBy(caller)] };
  const before = await load({ ...aim, connections: CALLERS, seconds: seconds(5) });
  const during = await load({
    ...aim,
    connections: CALLERS * TIMES,
    seconds: seconds(10),
    mayRefuse: true,
  });
  const firstSecond = await load({ ...aim, connections: CALLERS, seconds: 1 });
  const after = await load({ ...aim, connections: CALLERS, seconds: seconds(5) });
  say('overload');
  return { before, during, firstSecond, after };
}

export type Minute = {
  /** Requests a second. */
  perSecond: number;
  /** The same as a share of what a control reaches before and after it: it tells ageing from a machine that is busy. */
  toControl: number;
  /** Memory of the process at its end, in MiB. */
  memoryMib: number;
};
/** The warm-up is not counted. */
export type SoakResult = { requests: number; memoryAtStartMib: number; minutes: Minute[] };

/** A day of ten requests a second. */
const DAY = process.env.QUICK ? 1 : 24 * 3600 * 10;

/**
 * Both reads by keys and by a session, some asked for again with what the caller has, some refused, and beside them
 * pages.
 * @param callers in whose turn each request is made, more of them at once than one connection of the database takes on
 * @param cookie of a customer who is signed in
 * @param control one that does not age itself
 */
export async function measureSoak(
  { baseUrl, processId }: Target,
  callers: Caller[],
  cookie: string,
  control: Target,
): Promise<SoakResult> {
  const requests = await requestsOfADay(baseUrl, callers, cookie);
  const reads = { url: baseUrl, connections: 100, requests, right: [200, 304, 401] };
  const seen = ['/', '/payout'].map((path) => ({ path, ...asBrowser(cookie) }));
  const pages = { url: baseUrl, connections: 2, requests: seen, mostPerSecond: 5 };
  const some = async (usual: number) => {
    const time = { seconds: seconds(usual) };
    const [read, page] = await Promise.all([load({ ...reads, ...time }), load({ ...pages, ...time })]);
    return read.perSecond + page.perSecond;
  };
  const details = { url: control.baseUrl + DETAIL, requests: callers.map(sentBy), connections: 100 };
  const speed = async () => (await load({ ...details, seconds: seconds(10) })).perSecond;
  await some(60);
  const result: SoakResult = { requests: 0, memoryAtStartMib: await memoryMib(processId), minutes: [] };
  let speedBefore = await speed();
  while (result.requests < DAY || result.minutes.length < 3) {
    const perSecond = await some(60);
    const memory = await memoryMib(processId);
    const speedAfter = await speed();
    const toControl = perSecond / ((speedBefore + speedAfter) / 2);
    result.requests += Math.round(perSecond * seconds(60));
    result.minutes.push({ perSecond, toControl, memoryMib: memory });
    speedBefore = speedAfter;
  }
  say('a day of requests');
  return result;
}

async function requestsOfADay(baseUrl: string, callers: Caller[], cookie: string): Promise<Sent[]> {
  const turns = callers.map(async (caller): Promise<Sent[]> => {
    const { headers } = sentBy(caller);
    const etag = (await fetch(baseUrl + DETAIL, { headers })).headers.get('etag') ?? '';
    return [
      { path: DETAIL, headers },
      { path: PAYOUT, headers },
      { path: DETAIL, headers: { ...headers, 'If-None-Match': etag } },
      { path: PAYOUT, headers: { Cookie: cookie } },
      { path: PAYOUT, headers: {} },
    ];
  });
  return (await Promise.all(turns)).flat();
}

/** Resident memory, as the system counts it; NaN where the system does not say. */
export async function memoryMib(processId: number): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024;
}
