import { createServer } from 'node:net';
import { chromium } from '@playwright/test';
import lighthouse from 'lighthouse';
import { expect, test } from '../fixtures.ts';
import { addCardByApi, signIn } from './steps.ts';

const signedIn = ['/', '/payout', '/cards', '/service-area', '/api-access', '/profile'];
const open = ['/sign-in', '/docs'];

/** The mobile preset; the network as it is, since nothing that is judged here depends on its speed. */
async function audit(url: string, cookie: string, categories: string[]): Promise<string[]> {
  const port = await freePort();
  const { launchOptions } = test.info().project.use;
  const browser = await chromium.launch({
    ...launchOptions,
    args: [...(launchOptions?.args ?? []), `--remote-debugging-port=${port}`],
  });
  try {
    const result = await lighthouse(url, {
      port,
      logLevel: 'silent',
      onlyCategories: categories,
      throttlingMethod: 'provided',
      ...(cookie && { extraHeaders: { Cookie: cookie } }),
    });
    const { lhr } = result ?? {};
    if (!lhr || lhr.runtimeError) throw new Error(lhr?.runtimeError?.message ?? 'Lighthouse gave no result.');
    expect(new URL(lhr.finalDisplayedUrl).pathname).toBe(new URL(url).pathname);
    return Object.values(lhr.categories)
      .filter(({ score }) => score !== 1)
      .flatMap(({ id, score, auditRefs }) => [
        `${id}: ${score}`,
        ...auditRefs
          .map((ref) => lhr.audits[ref.id])
          .filter((one) => one && one.score !== null && one.score < 1)
          .map((one) => `${one?.id}: ${JSON.stringify(one?.details ?? one?.explanation)}`),
      ]);
  } finally {
    await browser.close();
  }
}

for (const path of signedIn) {
  test(`Lighthouse finds nothing on ${path}`, async ({ page, customer, api, baseURL }) => {
    test.slow();
    await addCardByApi(api, customer);
    await signIn(page, customer);
    const [session] = await page.context().cookies();
    const cookie = `${session?.name}=${session?.value}`;
    expect(await audit(`${baseURL}${path}`, cookie, ['accessibility', 'best-practices'])).toEqual([]);
  });
}

for (const path of open) {
  test(`Lighthouse finds nothing on ${path}, nor would a search engine`, async ({ baseURL }) => {
    test.slow();
    expect(await audit(`${baseURL}${path}`, '', ['accessibility', 'best-practices', 'seo'])).toEqual([]);
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
