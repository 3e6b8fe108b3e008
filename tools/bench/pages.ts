/** The signed-in pages as a browser asks for them, without the browser. */

import { dashboardPages } from '#components/layout/nav-items.ts';
import type { Caller } from './environment.ts';
import { type Load, load, type Sent } from './load.ts';
import { median, rounds, say, seconds } from './measure.ts';
import { medians, sentBy } from './reads.ts';
import type { Target } from './targets.ts';

export type PageResult = { page: string; firstByteMs: number; completeMs: number; htmlBytes: number };
export type OverviewRate = { target: string; perSecond: number; p50Ms: number; p99Ms: number };

/** One client, one page after the other. */
export async function measurePages({ baseUrl }: Target, cookie: string): Promise<PageResult[]> {
  const results: PageResult[] = [];
  for (const { path: page } of dashboardPages) {
    const taken: Omit<PageResult, 'page'>[] = [];
    for (let turn = -10; turn < rounds(5) * 20; turn += 1) {
      const one = await timed(baseUrl + page, cookie);
      if (turn >= 0) taken.push(one);
    }
    const of = (name: 'firstByteMs' | 'completeMs' | 'htmlBytes') => median(taken.map((one) => one[name]));
    results.push({
      page,
      firstByteMs: of('firstByteMs'),
      completeMs: of('completeMs'),
      htmlBytes: of('htmlBytes'),
    });
  }
  say('pages, one client');
  return results;
}

/**
 * How many overviews a second, 32 clients at once.
 * @param control whose details are asked for in the same rounds: what an overview is compared with
 */
export async function measureOverview(
  targets: Target[],
  cookie: string,
  control: Target,
  caller: Caller,
): Promise<OverviewRate[]> {
  await control.renew?.();
  const overviews = targets.map(({ name, baseUrl }) => ({
    name,
    aim: { url: `${baseUrl}/`, requests: [asBrowser(cookie)], seconds: seconds(4) },
  }));
  const details = {
    name: `${control.name}, details`,
    aim: {
      url: `${control.baseUrl}/api/schedule/v1/customers/detail`,
      requests: [sentBy(caller)],
      // Its pool slows down with every caller who waited: no longer than what the reads give it.
      seconds: 1,
    },
  };
  const taken = [...overviews, details].map((one) => ({ ...one, loads: [] as Load[] }));
  // A page runs so much script that it takes some thousand of them until it is as fast as it gets.
  for (let round = -2; round < rounds(7); round += 1)
    for (const { aim, loads } of taken) {
      const one = await load({ ...aim, connections: 32 });
      if (round >= 0) loads.push(one);
    }
  say('overview, 32 clients');
  return taken.map(({ name, loads }) => ({ target: name, ...medians(loads) }));
}

export function asBrowser(cookie: string): Sent {
  return { headers: { Cookie: cookie, 'Accept-Encoding': 'gzip, br', Accept: 'text/html' } };
}

async function timed(url: string, cookie: string): Promise<Omit<PageResult, 'page'>> {
  const startedAt = performance.now();
  const answer = await fetch(url, { headers: asBrowser(cookie).headers, redirect: 'manual' });
  const firstByteMs = performance.now() - startedAt;
  const html = await answer.text();
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}.`);
  return { firstByteMs, completeMs: performance.now() - startedAt, htmlBytes: Buffer.byteLength(html) };
}
