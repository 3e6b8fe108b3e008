import type { LaunchOptions } from '@playwright/test';
import { dashboardPages } from '#components/layout/nav-items.ts';
import type { Credentials } from '#e2e/dashboard/sign-in-form.ts';
import { auditPage, sessionCookie } from '#e2e/support/lighthouse.ts';
import { quietBrowserArguments } from '#tools/browser.ts';
import { withSignedInPage } from './signed-in.ts';

export type PageSpeed = {
  page: string;
  /** Lighthouse's score from 0 to 100. */
  performance: number;
  lcpMs: number;
  tbtMs: number;
  mainThreadMs: number;
  cls: number;
  /** As sent, compressed. */
  bytes: number;
  scriptBytes: number;
};

const open = ['/sign-in', '/docs'];
const signedIn = dashboardPages.map(({ path }) => path);

/**
 * How fast Lighthouse's mobile preset finds each page: a slow phone on a slow network, simulated from what was loaded.
 * @param baseUrl of the running service, production build
 * @param credentials of a customer whose pages have something to show
 * @param browserPath of the Chromium to use, as `findOrInstallBrowser` gives it
 */
export async function lighthouseOfPages(
  baseUrl: string,
  credentials: Credentials,
  browserPath: string,
): Promise<PageSpeed[]> {
  const launchOptions = { executablePath: browserPath, args: quietBrowserArguments };
  const cookie = await signedInCookie(baseUrl, credentials, browserPath);
  const speeds: PageSpeed[] = [];
  // One after another: they would slow each other down.
  for (const page of open) speeds.push(await speedOf(baseUrl, page, launchOptions));
  for (const page of signedIn) speeds.push(await speedOf(baseUrl, page, launchOptions, cookie));
  return speeds;
}

async function speedOf(
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

/** Signs in with a browser. @returns the session, as a browser sends it along */
export async function signedInCookie(
  baseUrl: string,
  credentials: Credentials,
  browserPath: string,
): Promise<string> {
  return withSignedInPage(baseUrl, credentials, browserPath, (page) => sessionCookie(page.context()));
}
