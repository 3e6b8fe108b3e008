/** Ten times the load that can be carried, and a day's requests in a few minutes. */
import { readFile } from 'node:fs/promises';
import { type Load, load } from './load.ts';
import { say, seconds } from './measure.ts';
import type { Caller } from './place.ts';
import { headersOf } from './reads.ts';
import type { Target } from './targets.ts';

export type OverloadResult = {
  before: Load;
  during: Load;
  /** The first second after. */
  after: Load;
};

const CALLERS = 256;
const TIMES = 10;

export async function measureOverload({ baseUrl }: Target, caller: Caller): Promise<OverloadResult> {
  const url = `${baseUrl}/api/schedule/v1/customers/detail`;
  const aim = { url, headers: headersOf(caller) };
  const before = await load({ ...aim, connections: CALLERS, seconds: seconds(5) });
  const during = await load({
    ...aim,
    connections: CALLERS * TIMES,
    seconds: seconds(10),
    mayRefuse: true,
  });
  const after = await load({ ...aim, connections: CALLERS, seconds: 1 });
  say('overload');
  return { before, during, after };
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
  await load({ ...aim, seconds: seconds(40) });
  const result: SoakResult = { requests: 0, perSecond: [], memoryMib: [await memoryMib(processId)] };
  while (result.requests < DAY || result.perSecond.length < 2) {
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
