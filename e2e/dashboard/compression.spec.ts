import type { Response } from '@playwright/test';
import { addTestCard, expect, test } from '../support/fixtures.ts';
import { scrollToMap, signIn, signInByRequest } from './steps.ts';

const scriptBytesMax = {
  '/sign-in': 120_000,
  '/docs': 120_000,
  '/docs/add-a-card': 120_000,
  '/': 139_000,
  '/payout': 138_000,
};

for (const [path, bytesMax] of Object.entries(scriptBytesMax)) {
  test(`page weight: ${path} loads at most ${bytesMax / 1000} KB of compressed JavaScript first`, async ({
    page,
    customer,
  }) => {
    if (['/', '/payout'].includes(path)) await signInByRequest(page.request, customer);
    const markup = await (await page.request.get(path)).text();
    // Scripts for old browsers are not loaded.
    const tags = [...markup.matchAll(/<script[^>]+>/g)].filter(([tag]) => !/nomodule/i.test(tag));
    const named = new Set(tags.flatMap(([tag]) => /src="([^"?]+)/.exec(tag)?.[1] ?? []));
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      if (!named.has(new URL(request.url()).pathname)) return;
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    // The first load, because the browser's cache is empty.
    await page.goto(path);
    await expect.poll(() => sizes.length).toBe(named.size);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(bytesMax);
  });
}

test('overview: no layout shift', async ({ page, customer, clientOf }) => {
  await addTestCard(clientOf(customer));
  // The first load, because the browser's cache is empty.
  await signIn(page, customer);
  await page.evaluate(() => document.fonts.ready);
  await scrollToMap(page);
  const shift = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) if ('value' in entry) sum += Number(entry.value);
        }).observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => setTimeout(() => resolve(sum)));
      }),
  );
  expect(shift).toBe(0);
});

for (const path of ['/', '/service-area', '/docs']) {
  test(`compression: assets of ${path} are immutable and use the smallest encoding`, async ({
    page,
    customer,
  }) => {
    const responses: Response[] = [];
    page.on('response', (response) => {
      if (new URL(response.url()).pathname.startsWith('/_next/static/')) responses.push(response);
    });
    // The first load, because files in the browser's cache need not be reported.
    await signIn(page, customer, path);
    await page.waitForLoadState('networkidle');
    const headersByFile = new Map<string, (string | undefined)[]>();
    for (const response of responses) {
      const headers = await response.allHeaders();
      headersByFile.set(new URL(response.url()).pathname, [
        headers['cache-control'],
        headers['content-encoding'],
      ]);
    }
    const files = [...headersByFile.keys()];
    for (const ending of ['.js', '.css', '.woff2'])
      expect(files.filter((file) => file.endsWith(ending)).length, ending).toBeGreaterThan(0);
    const forGood = 'public, max-age=31536000, immutable';
    expect([...headersByFile]).toEqual(
      files.map((file) => [file, [forGood, file.endsWith('.woff2') ? undefined : 'br']]),
    );
  });
}

test('compression: pages use the best accepted encoding', async ({ request, customer }) => {
  await signInByRequest(request, customer);
  const headersFor = async (encoding: string) => {
    const response = await request.get('/', { headers: { 'Accept-Encoding': encoding } });
    expect(await response.text()).toContain('Balance due');
    return [response.headers()['content-encoding'], response.headers().vary?.includes('Accept-Encoding')];
  };
  expect(await headersFor('gzip, deflate, br, zstd')).toEqual(['br', true]);
  expect(await headersFor('gzip, br;q=0.1')).toEqual(['gzip', true]);
  expect(await headersFor('identity')).toEqual([undefined, true]);
});

test('compression: the CSV file is compressed', async ({ request, customer }) => {
  await signInByRequest(request, customer);
  const file = await request.get('/payout/transactions.csv', { headers: { 'Accept-Encoding': 'br' } });
  expect(file.headers()).toMatchObject({ 'content-encoding': 'br', 'content-type': /^text\/csv/ });
});
