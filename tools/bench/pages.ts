/** The dashboard's pages: over HTTP, in Lighthouse, and how long Chromium takes to draw the map's outline. */
import { chromium, type LaunchOptions, type Page } from '@playwright/test';
import { dashboardPages } from '#components/layout/nav-items.ts';
import { submitCredentials } from '#e2e/dashboard/steps.ts';
import { auditPage, sessionCookie } from '#e2e/support/lighthouse.ts';
import { quietBrowserArguments } from '#tools/browser.ts';
import type { Credentials } from '#tools/testing/factories.ts';
import { paths } from './control.ts';
import type { Caller } from './environment.ts';
import { apiRequest, load, medianRate, pageRequest, type Rate } from './load.ts';
import { inTurns, median, print, timeOf } from './measure.ts';
import type { Target } from './targets.ts';

type PageSample = { firstByteMs: number; completeMs: number; htmlBytes: number };
/** The CPU time is the service's for each page. */
export type PageResult = PageSample & { page: string; processorMs: number };
export type OverviewRate = Rate & { target: string };

const pageLoads = 200;

/** One client that loads one page after another. */
export async function measurePages({ baseUrl, processId }: Target, cookie: string): Promise<PageResult[]> {
  const results: PageResult[] = [];
  const loadPages = async (path: string) => {
    const [samples = []] = await inTurns([baseUrl + path], pageLoads, (url) => loadPage(url, cookie), 0);
    return samples;
  };
  for (const { path } of dashboardPages) {
    await loadPages(path);
    const before = await timeOf(processId);
    const samples = await loadPages(path);
    const after = await timeOf(processId);
    const processorUs = after.userUs + after.kernelUs - before.userUs - before.kernelUs;
    const medianOf = (name: keyof PageSample) => median(samples.map((sample) => sample[name]));
    results.push({
      page: path,
      firstByteMs: medianOf('firstByteMs'),
      completeMs: medianOf('completeMs'),
      htmlBytes: medianOf('htmlBytes'),
      processorMs: processorUs / 1000 / pageLoads,
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
      url: control.baseUrl + paths.detail,
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

export type PageSpeed = {
  page: string;
  /** Lighthouse's score, 0 to 100. */
  performance: number;
  lcpMs: number;
  tbtMs: number;
  mainThreadMs: number;
  cls: number;
  /** Compressed, over the network. */
  bytes: number;
  scriptBytes: number;
};

export type Browser = { baseUrl: string; credentials: Credentials; executablePath: string };

const publicPages = ['/sign-in', '/docs'];

/** Audits each page with Lighthouse's mobile preset, which simulates a slow phone on a slow network. */
export async function auditPages(browser: Browser): Promise<PageSpeed[]> {
  const launchOptions = launchOptionsOf(browser);
  const cookie = await signedInCookie(browser);
  const speeds: PageSpeed[] = [];
  // One after another, because they would slow each other down.
  for (const page of publicPages) speeds.push(await pageSpeed(browser.baseUrl, page, launchOptions));
  for (const { path } of dashboardPages)
    speeds.push(await pageSpeed(browser.baseUrl, path, launchOptions, cookie));
  return speeds;
}

async function pageSpeed(
  baseUrl: string,
  page: string,
  launchOptions: LaunchOptions,
  cookie?: string,
): Promise<PageSpeed> {
  const settings = { onlyCategories: ['performance'] };
  const { categories, audits } = await auditPage(baseUrl + page, launchOptions, settings, cookie);
  const numberOf = (audit: string) => audits[audit]?.numericValue ?? Number.NaN;
  return {
    page,
    performance: Math.round((categories.performance?.score ?? Number.NaN) * 100),
    lcpMs: Math.round(numberOf('largest-contentful-paint')),
    tbtMs: Math.round(numberOf('total-blocking-time')),
    mainThreadMs: Math.round(numberOf('mainthread-work-breakdown')),
    cls: numberOf('cumulative-layout-shift'),
    bytes: numberOf('total-byte-weight'),
    scriptBytes: scriptBytesIn(audits['resource-summary']?.details),
  };
}

function scriptBytesIn(summary: unknown): number {
  const { items } = summary as { items: { resourceType: string; transferSize: number }[] };
  return items.find(({ resourceType }) => resourceType === 'script')?.transferSize ?? 0;
}

const mapLoads = 10;

/**
 * @param browser with a customer whose city has the polygon of `toothedRing()` in tools/testing/factories.ts
 * @returns for each of ten loads the milliseconds from the load event to the first frame with the outline; 0 if the
 *   outline was first
 */
export async function outlineDrawMs(browser: Browser): Promise<number[]> {
  return withSignedInPage(browser, async (page) => {
    await page.addInitScript(markOutlineDrawn);
    const times: number[] = [];
    while (times.length < mapLoads) {
      await page.goto(`${browser.baseUrl}/service-area`);
      const drawnAt = await page.waitForFunction(
        () => performance.getEntriesByName('outline drawn')[0]?.startTime,
      );
      const loadedAt = await page.evaluate(() => {
        const [navigation] = performance.getEntriesByType('navigation');
        return navigation instanceof PerformanceNavigationTiming ? navigation.loadEventEnd : Number.NaN;
      });
      times.push(Math.max(0, Math.round(Number(await drawnAt.jsonValue()) - loadedAt)));
    }
    return times;
  });
}

/** Runs in the page before its own scripts. */
function markOutlineDrawn(): void {
  const check = () => {
    const outline = document.querySelector('.leaflet-container path.map-area')?.getAttribute('d') ?? '';
    if (outline.length > 10) performance.mark('outline drawn');
    else requestAnimationFrame(check);
  };
  requestAnimationFrame(check);
}

/** @returns the session's cookie header */
export function signedInCookie(browser: Browser): Promise<string> {
  return withSignedInPage(browser, (page) => sessionCookie(page.context()));
}

async function withSignedInPage<Result>(
  browser: Browser,
  use: (page: Page) => Promise<Result>,
): Promise<Result> {
  const chromiumBrowser = await chromium.launch(launchOptionsOf(browser));
  try {
    const page = await chromiumBrowser.newPage();
    await page.goto(`${browser.baseUrl}/sign-in`);
    await submitCredentials(page, browser.credentials);
    await page.waitForURL(`${browser.baseUrl}/`);
    return await use(page);
  } finally {
    await chromiumBrowser.close();
  }
}

function launchOptionsOf({ executablePath }: Browser): LaunchOptions {
  return { executablePath, args: quietBrowserArguments };
}
