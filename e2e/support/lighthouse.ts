import { type BrowserContext, chromium, type LaunchOptions } from '@playwright/test';
import getPort from 'get-port';
import lighthouse, { type Flags, type Result } from 'lighthouse';

/**
 * What Lighthouse finds in a page by its mobile preset, in a browser of its own with an empty cache.
 * @param cookie of a signed-in session, as `name=value`
 * @throws Error when the page could not be judged, or was another than asked for
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
  // Lighthouse's own recording began too late, which says nothing of the page: on a machine at its limit it can.
  const isUnrecorded = first?.runtimeError?.code === 'NO_NAVSTART';
  const result = isUnrecorded ? await resultOf(url, launchOptions, flags) : first;
  if (!result || result.runtimeError)
    throw new Error(result?.runtimeError?.message ?? 'Lighthouse gave no result.');
  const { pathname } = new URL(result.finalDisplayedUrl);
  if (pathname !== new URL(url).pathname) throw new Error(`${url} led to ${pathname}.`);
  return result;
}

async function resultOf(
  url: string,
  launchOptions: LaunchOptions,
  flags: Flags,
): Promise<Result | undefined> {
  const port = await getPort();
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

/** The cookie of the session that is open in a browser. @throws Error without one */
export async function sessionCookie(context: BrowserContext): Promise<string> {
  const [session] = await context.cookies();
  if (!session) throw new Error('Nobody is signed in.');
  return `${session.name}=${session.value}`;
}
