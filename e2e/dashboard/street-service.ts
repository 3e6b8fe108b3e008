import { expect, type Page } from '@playwright/test';
import { serviceTest, type TestCustomer } from '../support/fixtures.ts';
import { signIn } from './steps.ts';

/** A test of a service with street tiles, on the shared database. */
export const test = serviceTest.extend({
  settings: [
    {
      DATA_DIR: process.env.E2E_DATA_DIR ?? '',
      MAP_TILE_URL: 'https://tiles.example/{z}/{x}/{y}.png',
      MAP_TILE_ATTRIBUTION: '© <a href="https://tiles.example/about">Example Streets</a>',
    },
    { scope: 'worker' },
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
  customer: TestCustomer,
  { areTilesBlocked = false } = {},
): Promise<void> {
  await page.route(tiles, (route) =>
    areTilesBlocked ? route.abort() : route.fulfill({ contentType: 'image/png', body: tile }),
  );
  await signIn(page, customer, '/service-area');
  await expect(page.locator('.leaflet-container path.map-area')).toHaveAttribute('d', /^M/);
}
