import type { Page } from '@playwright/test';
import { expect, test as withCustomer } from '../support/fixtures.ts';
import { type OwnService, startOwnService } from '../support/own-service.ts';
import { type Credentials, submitCredentials } from './sign-in-form.ts';

/** A service with street tiles, on the shared database. */
export const test = withCustomer.extend<object, { service: OwnService }>({
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
/** One gray pixel. */
const tile = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);

/** Signs in and opens the map. Every tile is gray, or blocked. */
export async function openStreetMap(
  page: Page,
  { url }: OwnService,
  customer: Credentials,
  { areTilesBlocked = false } = {},
): Promise<void> {
  await page.route(tiles, (route) =>
    areTilesBlocked ? route.abort() : route.fulfill({ contentType: 'image/png', body: tile }),
  );
  await page.goto(`${url}/sign-in?next=%2Fservice-area`);
  await submitCredentials(page, customer);
  await page.waitForURL(`${url}/service-area`);
  await expect(page.locator('.leaflet-container path.map-area')).toHaveAttribute('d', /^M/);
}
