import type { Page } from '@playwright/test';
import { expect, test as withCustomer } from '../fixtures.ts';
import { type OwnService, startOwnService } from '../own-service.ts';
import { submitCredentials } from './sign-in-form.ts';

/** A service that an operator has given street tiles, over the same database. */
const test = withCustomer.extend<object, { service: OwnService }>({
  service: [
    async ({ browserName: _browserName }, use) => {
      const service = await startOwnService({
        DATA_DIR: process.env.E2E_DATA_DIR ?? '',
        MAP_TILE_URL: 'https://tiles.example/{z}/{x}/{y}.png',
        MAP_TILE_ATTRIBUTION: '© <a href="https://tiles.example/about">Example Streets</a>',
      });
      await use(service);
      await service.stop();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
});

const tiles = /^https:\/\/tiles\.example\/\d+\/\d+\/\d+\.png$/;
/** One grey point. */
const tile = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);

async function openArea(
  page: Page,
  { url }: OwnService,
  customer: { apiKey: string; apiSecret: string },
): Promise<void> {
  await page.goto(`${url}/sign-in?next=%2Fservice-area`);
  await submitCredentials(page, customer);
  await page.waitForURL(`${url}/service-area`);
  await expect(page.locator('.leaflet-container path.map-area')).toHaveAttribute('d', /^M/);
}

async function expectAnswers(page: Page): Promise<void> {
  await page.getByLabel('Latitude and longitude').fill('37.56, -122.1');
  await page.getByRole('button', { name: 'Check this point' }).click();
  await expect(page.getByText('A delivery there costs $11.24.')).toBeVisible();
}

test('street tiles lie under the outlines, and whose they are is said', async ({
  page,
  customer,
  service,
}) => {
  await page.route(tiles, (route) => route.fulfill({ contentType: 'image/png', body: tile }));
  await openArea(page, service, customer);
  const map = page.locator('.leaflet-container');
  await expect(map.locator('img.leaflet-tile-loaded').first()).toBeVisible();
  await expect(map.getByRole('link', { name: 'Example Streets' })).toBeVisible();
  await expect(map.locator('.map-land')).toHaveCSS('fill-opacity', '0');
  await expect(page.getByText(/Street details can’t be loaded/)).toBeHidden();
  await expectAnswers(page);
});

test.describe('when the tiles are blocked', () => {
  // The browser writes each into its console; the page itself complains of nothing.
  test.use({ expectedFaults: [/^Failed to load resource: net::ERR_FAILED \(https:\/\/tiles\.example\//] });

  test('the outlines are the map, a line says so, and nothing else changes', async ({
    page,
    customer,
    service,
  }) => {
    await page.route(tiles, (route) => route.abort());
    await openArea(page, service, customer);
    await expect(page.getByText(/Street details can’t be loaded right now/)).toBeVisible();
    await expect(page.locator('.leaflet-container .map-land')).toHaveCSS('fill-opacity', '1');
    await expectAnswers(page);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect(page.locator('.leaflet-container path.map-area')).toBeVisible();
  });
});
