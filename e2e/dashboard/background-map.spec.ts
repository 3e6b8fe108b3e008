/** The interactive map's background: coastlines, borders, and cities around the service area. */
import type { APIRequestContext, Page } from '@playwright/test';
import { expect, newCity, test } from '../support/fixtures.ts';
import { scrollToMap, signIn, signInByRequest } from './steps.ts';

const basePath = '/service-area/background-map/';
const surroundings = (page: Page) => page.locator('.leaflet-container path.map-land');

const immutable = 'private, max-age=31536000, immutable';

const newYork: [number, number][] = [
  [-74.1, 40.6],
  [-73.9, 40.6],
  [-73.9, 40.8],
  [-74.1, 40.8],
  [-74.1, 40.6],
];

/** @param request of a signed-in customer */
async function mapUrlOf(request: APIRequestContext): Promise<string> {
  const [url] = /\/service-area\/background-map\/[\w-]+/.exec(await (await request.get('/')).text()) ?? [];
  if (!url) throw new Error('The page has no background map.');
  return url;
}

test('background map: is small and cached as immutable', async ({ request, customer }) => {
  await signInByRequest(request, customer);
  const response = await request.get(await mapUrlOf(request));
  expect(response.headers()).toMatchObject({
    'cache-control': immutable,
    'content-type': 'application/json',
  });
  expect((await response.body()).length).toBeLessThan(20_000);
  const position = [expect.any(Number), expect.any(Number)];
  expect(await response.json()).toMatchObject({
    land: expect.arrayContaining([[expect.arrayContaining([position])]]),
  });
});

test('background map: is compressed in every accepted encoding', { tag: '@host' }, async ({
  request,
  customer,
}) => {
  await signInByRequest(request, customer);
  const address = await mapUrlOf(request);
  const encodingFor = async (accepted: string) => {
    const response = await request.get(address, { headers: { 'Accept-Encoding': accepted } });
    expect(await response.json()).toHaveProperty('land');
    const { 'content-encoding': encoding, 'cache-control': caching, vary } = response.headers();
    expect([caching, vary?.includes('Accept-Encoding')]).toEqual([immutable, true]);
    return encoding;
  };
  expect(await encodingFor('gzip, deflate, br, zstd')).toBe('br');
  expect(await encodingFor('br')).toBe('br');
  expect(await encodingFor('gzip')).toBe('gzip');
  expect(await encodingFor('identity')).toBeUndefined();
});

test('background map: is requested once for all pages', async ({ page, customer }) => {
  await signIn(page, customer, '/profile');
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const fromNetwork: string[] = [];
  session.on('Network.responseReceived', ({ response }) => {
    if (response.url.includes(basePath) && !response.fromDiskCache) fromNetwork.push(response.url);
  });
  for (const path of ['/service-area', '/', '/service-area']) {
    await page.goto(path);
    await scrollToMap(page);
    await expect(surroundings(page)).toHaveAttribute('d', /^M/);
  }
  expect(fromNetwork).toHaveLength(1);
});

test('background map: an outdated URL returns the current map without caching', async ({
  request,
  customer,
  db,
}) => {
  await signInByRequest(request, customer);
  const before = await mapUrlOf(request);
  await newCity(db, { ...customer.city, ring: newYork });
  expect(await mapUrlOf(request)).not.toBe(before);
  const response = await request.get(before);
  expect(response.headers()['cache-control']).toBe('no-store');
  expect(await response.json()).toMatchObject({
    box: [expect.any(Number), expect.any(Number), expect.any(Number), expect.closeTo(41.12, 1)],
  });
});

test('background map: requires a session', async ({ page, customer }) => {
  await signIn(page, customer, '/service-area');
  const address = await mapUrlOf(page.request);
  // The page's own request has a session.
  await expect(surroundings(page)).toHaveAttribute('d', /^M/);
  await page.context().clearCookies();
  const response = await page.request.get(address);
  expect(response.status()).toBe(401);
  expect(response.headers()['cache-control']).toBe('no-store');
});

test('background map: loads in a browser without AbortSignal.any', async ({ page, customer }) => {
  await page.addInitScript(() => Reflect.deleteProperty(AbortSignal, 'any'));
  await signIn(page, customer, '/service-area');
  await expect(surroundings(page)).toHaveAttribute('d', /^M/);
});

test.describe('background map request fails', () => {
  test.use({ expectedFaults: [/Failed to load resource/] });

  test('keeps the static map with one message, and a retry loads the map', async ({ page, customer }) => {
    await signIn(page, customer, '/profile');
    await page.route(`**${basePath}*`, (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto('/service-area');
    await expect(page.getByText('The map can’t be moved right now.')).toBeVisible();
    await expect(page.getByRole('img', { name: /^Map\. We deliver across/ })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(1);
    await page.unroute(`**${basePath}*`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(surroundings(page)).toHaveAttribute('d', /^M/);
  });

  test('asks to sign in again when the session has expired', async ({ page, customer, context }) => {
    await signIn(page, customer, '/profile');
    const session = await context.cookies();
    await page.route('/service-area', async (route) => {
      const response = await route.fetch();
      await context.clearCookies();
      await route.fulfill({ response });
    });
    await page.goto('/service-area');
    const notice = page.getByText('You were signed out.');
    await expect(notice).toBeVisible();
    await expect(page.getByRole('link', { name: 'Sign in again' })).toBeVisible();
    await context.addCookies(session);
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await expect(surroundings(page)).toHaveAttribute('d', /^M/);
    await expect(notice).toBeHidden();
    await expect(page.getByText('The map can’t be moved right now.')).toBeHidden();
  });
});
