import type { Page, Request } from '@playwright/test';
import { eq } from 'drizzle-orm';
import { customers } from '#db/schema.ts';
import { addTestCard, expect, test } from '../support/fixtures.ts';
import { cardScript, holdBack } from './network-faults.ts';
import { addDeliveries, scrollToMap, signIn, signInByRequest, waitForCardFields } from './steps.ts';

test('page weight: two fonts of about 50 KB, and a third one only for names that need it', async ({
  page,
  customer,
  clientOf,
  db,
}) => {
  await addTestCard(clientOf(customer));
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

test('page weight: 25 transactions take at most 60 KB of HTML', async ({ request, customer, db }) => {
  await addDeliveries(db, customer, 25);
  await signInByRequest(request, customer);
  const html = await (await request.get('/payout')).text();
  expect(html.match(/<tr><td><time/g)).toHaveLength(25);
  expect(Buffer.byteLength(html)).toBeLessThan(60_000);
});

for (const width of [320, 1280]) {
  test(`card form: no layout shift at ${width} px`, async ({ page, customer }) => {
    await page.setViewportSize({ width, height: 900 });
    await signIn(page, customer, '/cards');
    const letThrough = await holdBack(page, cardScript);
    await page.getByRole('link', { name: 'Add a card' }).click();
    await expect(page.getByText('Loading the card form')).toBeAttached();
    const form = page.getByRole('region', { name: 'Add a card' });
    const reserved = await form.boundingBox();
    letThrough();
    await waitForCardFields(page);
    await expect.poll(() => form.boundingBox()).toEqual(reserved);
  });
}

test('page weight: map and card form scripts load only where shown', async ({ page, customer }) => {
  const requested: string[] = [];
  page.on('requestfinished', (request) => requested.push(new URL(request.url()).pathname));
  const holding = loadedScripts(page);
  await signIn(page, customer, '/profile');
  await page.goto('/cards', { waitUntil: 'networkidle' });
  await expect(page.getByRole('link', { name: 'Add a card' })).toBeVisible();
  expect(await holding('')).toBeGreaterThan(3);
  expect(requested.filter((path) => path.endsWith('stripe.js'))).toEqual([]);
  expect([await holding('leaflet-container'), await holding('Billing ZIP code')]).toEqual([0, 0]);
  await page.getByRole('link', { name: 'Add a card' }).hover();
  await expect.poll(() => requested.filter((path) => path.endsWith('stripe.js'))).toHaveLength(1);
  await expect.poll(() => holding('Billing ZIP code')).toBe(1);
  await page.goto('/service-area');
  await expect.poll(() => holding('leaflet-container')).toBe(1);
});

test('page weight: on a phone the overview loads the map when scrolled near it', async ({
  page,
  customer,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const holding = loadedScripts(page);
  await signIn(page, customer);
  await page.waitForLoadState('networkidle');
  expect(await holding('')).toBeGreaterThan(3);
  expect(await holding('leaflet-container')).toBe(0);
  await scrollToMap(page);
  await expect.poll(() => holding('leaflet-container')).toBe(1);
});

/** @returns a function that counts the scripts loaded since then that contain a text */
function loadedScripts(page: Page): (text: string) => Promise<number> {
  const scripts: Promise<string>[] = [];
  page.on('requestfinished', (request) => {
    if (request.resourceType() === 'script') scripts.push(bodyOf(request));
  });
  return async (text) => (await Promise.all(scripts)).filter((script) => script.includes(text)).length;
}

async function bodyOf(request: Request): Promise<string> {
  const response = await request.response();
  // A script from the browser's cache has no body once its page is left.
  return (await response?.text().catch(() => '')) ?? '';
}
