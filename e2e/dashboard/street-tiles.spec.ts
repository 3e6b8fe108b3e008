import type { Page } from '@playwright/test';
import { expect } from '../support/fixtures.ts';
import { askPoint } from './steps.ts';
import { openStreetMap, test } from './street-service.ts';

// One worker: one service for both.
test.describe.configure({ mode: 'default' });

async function expectPrice(page: Page): Promise<void> {
  await askPoint(page, '37.56, -122.1');
  await expect(page.getByText('A delivery there costs $11.24.')).toBeVisible();
}

test('street tiles: shown under the outline with attribution', async ({ page, customer }) => {
  await openStreetMap(page, customer);
  const map = page.locator('.leaflet-container');
  await expect(map.locator('img.leaflet-tile-loaded').first()).toBeVisible();
  await expect(map.getByRole('link', { name: 'Example Streets' })).toBeVisible();
  await expect(map.locator('.map-land')).toHaveCSS('fill-opacity', '0');
  await expect(map.getByText('$8.99')).toBeVisible();
  // Screen readers announce the text only if its region is there before.
  await expect(map.getByRole('status')).toBeEmpty();
  await expectPrice(page);
});

test.describe('street tiles blocked', () => {
  // The browser reports each blocked tile in its console.
  test.use({ expectedFaults: [/^Failed to load resource: net::ERR_FAILED \(https:\/\/tiles\.example\//] });

  test('keeps the outline map with a message', async ({ page, customer }) => {
    await openStreetMap(page, customer, { areTilesBlocked: true });
    await expect(page.getByText(/Street details can’t be loaded right now/)).toBeVisible();
    await expect(page.locator('.leaflet-container .map-land')).toHaveCSS('fill-opacity', '1');
    await expectPrice(page);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect(page.locator('.leaflet-container path.map-area')).toBeVisible();
  });
});
