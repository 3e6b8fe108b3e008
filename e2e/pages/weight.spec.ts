import type { Page, Request } from '@playwright/test';
import { eq } from 'drizzle-orm';
import { customers } from '#db/schema/index.ts';
import { expect, test } from '../fixtures.ts';
import { cardScript, holdBack } from './mishaps.ts';
import { addCardByApi, scrollToMap, signIn, waitForCardFields } from './steps.ts';

const mostScriptBytes = 150_000;

test('the overview comes with less than 150 KB of compressed script, and nothing in it jumps', async ({
  page,
  browser,
  context,
  customer,
  api,
}) => {
  await addCardByApi(api, customer);
  await signIn(page, customer);
  const markup = await (await page.request.get('/')).text();
  const named = new Set([...markup.matchAll(/<script[^>]+src="([^"?]+)/g)].map(([, url]) => url));
  const sizes: Promise<number>[] = [];
  // A browser with an empty cache.
  const fresh = await (await browser.newContext({ storageState: await context.storageState() })).newPage();
  fresh.on('requestfinished', (request) => {
    if (!named.has(new URL(request.url()).pathname)) return;
    sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  await fresh.goto('/');
  await fresh.evaluate(() => document.fonts.ready);
  await scrollToMap(fresh);
  const scriptBytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(scriptBytes).toBeGreaterThan(50_000);
  expect(scriptBytes).toBeLessThan(mostScriptBytes);
  const shift = await fresh.evaluate(
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
  await fresh.context().close();
});

test('a page loads two fonts of half a hundred KB, and a third for a name that needs it', async ({
  page,
  customer,
  api,
  db,
}) => {
  await addCardByApi(api, customer);
  const fonts = new Map<string, number>();
  page.on('requestfinished', async (request) => {
    const [, name] = /(\w+)[^/]*\.woff2$/.exec(request.url()) ?? [];
    if (name) fonts.set(name, (await request.sizes()).responseBodySize);
  });
  await signIn(page, customer);
  await expect.poll(() => [...fonts.keys()].sort()).toEqual(['geist_latin', 'geist_mono_latin']);
  expect([...fonts.values()].reduce((sum, bytes) => sum + bytes)).toBeLessThan(60_000);
  await db.update(customers).set({ name: 'Kwiaty Łódź' }).where(eq(customers.id, customer.id));
  await page.reload();
  await expect.poll(() => [...fonts.keys()]).toContain('geist_latin_ext');
});

for (const path of ['/', '/service-area', '/docs']) {
  test(`what ${path} loads is kept for good, and scripts and styles come in their smallest form`, async ({
    page,
    customer,
  }) => {
    await signIn(page, customer);
    const kept = new Map<string, (string | undefined)[]>();
    page.on('response', async (response) => {
      const file = new URL(response.url()).pathname;
      if (!file.startsWith('/_next/static/')) return;
      const headers = await response.allHeaders();
      kept.set(file, [headers['cache-control'], headers['content-encoding']]);
    });
    await page.goto(path, { waitUntil: 'networkidle' });
    const files = [...kept.keys()];
    for (const ending of ['.js', '.css', '.woff2'])
      expect(files.filter((file) => file.endsWith(ending)).length, ending).toBeGreaterThan(0);
    const forGood = 'public, max-age=31536000, immutable';
    expect([...kept]).toEqual(
      files.map((file) => [file, [forGood, file.endsWith('.woff2') ? undefined : 'br']]),
    );
  });
}

for (const width of [320, 1280]) {
  test(`the card form takes the room that was kept for it, at ${width} px`, async ({ page, customer }) => {
    await page.setViewportSize({ width, height: 900 });
    await signIn(page, customer, '/cards');
    const letThrough = await holdBack(page, cardScript);
    await page.getByRole('button', { name: 'Add a card' }).click();
    await expect(page.getByText('Loading the card form')).toBeAttached();
    const form = page.getByRole('region', { name: 'Add a card' });
    const kept = await form.boundingBox();
    letThrough();
    await waitForCardFields(page);
    await expect.poll(() => form.boundingBox()).toEqual(kept);
  });
}

test('neither the map nor the card form is loaded where it is not shown', async ({ page, customer }) => {
  const asked: string[] = [];
  page.on('requestfinished', (request) => asked.push(new URL(request.url()).pathname));
  const holding = loadedScripts(page);
  await signIn(page, customer, '/profile');
  await page.goto('/cards', { waitUntil: 'networkidle' });
  await expect(page.getByRole('button', { name: 'Add a card' })).toBeVisible();
  expect(await holding('')).toBeGreaterThan(3);
  expect(asked.filter((path) => path.endsWith('stripe.js'))).toEqual([]);
  expect([await holding('leaflet-container'), await holding('Billing ZIP code')]).toEqual([0, 0]);
  await page.getByRole('button', { name: 'Add a card' }).hover();
  await expect.poll(() => asked.filter((path) => path.endsWith('stripe.js'))).toHaveLength(1);
  await expect.poll(() => holding('Billing ZIP code')).toBe(1);
  await page.goto('/service-area');
  await expect.poll(() => holding('leaflet-container')).toBe(1);
});

test('on a phone the overview loads its map when one comes near it', async ({ page, customer }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const holding = loadedScripts(page);
  await signIn(page, customer);
  await page.waitForLoadState('networkidle');
  expect(await holding('')).toBeGreaterThan(3);
  expect(await holding('leaflet-container')).toBe(0);
  await scrollToMap(page);
  expect(await holding('leaflet-container')).toBe(1);
});

/** @returns how many of the scripts that have come since hold the words */
function loadedScripts(page: Page): (words: string) => Promise<number> {
  const scripts: Promise<string>[] = [];
  page.on('requestfinished', (request) => {
    if (request.resourceType() === 'script') scripts.push(bodyOf(request));
  });
  return async (words) => (await Promise.all(scripts)).filter((script) => script.includes(words)).length;
}

async function bodyOf(request: Request): Promise<string> {
  const response = await request.response();
  // What came from the browser's cache into a page that is left has no body to read.
  return (await response?.text().catch(() => '')) ?? '';
}
