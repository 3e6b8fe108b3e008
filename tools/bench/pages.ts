/** The dashboard's pages over HTTP, without a browser. */
import { dashboardPages } from '#components/layout/nav-items.ts';
import type { Caller } from './environment.ts';
import { apiRequest, load, medianRate, pageRequest, type Rate } from './load.ts';
import { inTurns, median, print } from './measure.ts';
import type { Target } from './targets.ts';

type PageSample = { firstByteMs: number; completeMs: number; htmlBytes: number };
export type PageResult = PageSample & { page: string };
export type OverviewRate = Rate & { target: string };

/** One client that loads one page after another. */
export async function measurePages({ baseUrl }: Target, cookie: string): Promise<PageResult[]> {
  const results: PageResult[] = [];
  for (const { path } of dashboardPages) {
    const [samples = []] = await inTurns([baseUrl + path], 5 * 20, (url) => loadPage(url, cookie), 10);
    const medianOf = (name: keyof PageSample) => median(samples.map((sample) => sample[name]));
    results.push({
      page: path,
      firstByteMs: medianOf('firstByteMs'),
      completeMs: medianOf('completeMs'),
      htmlBytes: medianOf('htmlBytes'),
    });
  }
  print('pages, one client');
  return results;
}

/**
 * Overviews per second with as many clients as one address may have pages rendered at once.
 * @param control whose details are measured in the same rounds, for comparison
 */
export async function measureOverview(
  targets: Target[],
  cookie: string,
  control: Target,
  caller: Caller,
): Promise<OverviewRate[]> {
  await control.restart?.();
  const overviews = targets.map(({ name, baseUrl }) => ({
    target: name,
    options: { url: `${baseUrl}/`, requests: [pageRequest(cookie)], seconds: 4 },
  }));
  const details = {
    target: `${control.name}, details`,
    options: {
      url: `${control.baseUrl}/api/schedule/v1/customers/detail`,
      requests: [apiRequest(caller)],
      // As short as in the reads, because the control's pool becomes slower with every request that waits in it.
      seconds: 1,
    },
  };
  const subjects = [...overviews, details];
  // V8 optimizes rendering within the first few thousand pages.
  const warmUpRounds = 2;
  const loads = await inTurns(
    subjects,
    7,
    ({ options }) => load({ ...options, connections: 16 }),
    warmUpRounds,
  );
  print('overview, 16 clients');
  return subjects.map(({ target }, index) => ({ target, ...medianRate(loads[index] ?? []) }));
}

async function loadPage(url: string, cookie: string): Promise<PageSample> {
  const startedAt = performance.now();
  const response = await fetch(url, { headers: pageRequest(cookie).headers, redirect: 'manual' });
  const firstByteMs = performance.now() - startedAt;
  const html = await response.text();
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}.`);
  return { firstByteMs, completeMs: performance.now() - startedAt, htmlBytes: Buffer.byteLength(html) };
}
