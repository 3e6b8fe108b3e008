import { type BrowserContext, chromium, type LaunchOptions } from '@playwright/test';
import lighthouse, { type Flags, type Result } from 'lighthouse';
import { unusedPort } from '#tools/testing/listen.ts';

/**
 * Audits a page with Lighthouse's mobile preset, in a new browser with an empty cache.
 * @param cookie of a session, as `name=value`
 * @throws Error if the audit failed or the page redirected
 */
export async function auditPage(
  url: string,
  launchOptions: LaunchOptions,
  settings: Flags,
  cookie?: string,
): Promise<Result> {
  const extraHeaders = cookie ? { Cookie: cookie } : null;
  const flags: Flags = { logLevel: 'silent', extraHeaders, ...settings };
  const first = await resultOf(url, launchOptions, flags);
  // On a busy machine, Lighthouse can start recording too late. That is no fault of the page.
  const hasNoTrace = first?.runtimeError?.code === 'NO_NAVSTART';
  const result = hasNoTrace ? await resultOf(url, launchOptions, flags) : first;
  if (!result || result.runtimeError)
    throw new Error(result?.runtimeError?.message ?? 'Lighthouse returned no result.');
  const { pathname } = new URL(result.finalDisplayedUrl);
  if (pathname !== new URL(url).pathname) throw new Error(`${url} redirected to ${pathname}.`);
  return result;
}

async function resultOf(
  url: string,
  launchOptions: LaunchOptions,
  flags: Flags,
): Promise<Result | undefined> {
  const port = await unusedPort();
  const browser = await chromium.launch({
    ...launchOptions,
    args: [...(launchOptions.args ?? []), `--remote-debugging-port=${port}`],
  });
  try {
    return (await lighthouse(url, { port, ...flags }))?.lhr;
  } finally {
    await browser.close();
  }
}

/** @returns the session cookie of a browser. @throws Error if it has none */
export async function sessionCookie(context: BrowserContext): Promise<string> {
  const [session] = await context.cookies();
  if (!session) throw new Error('The browser has no session.');
  return `${session.name}=${session.value}`;
}
