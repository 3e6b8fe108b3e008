import { eq } from 'drizzle-orm';
import { cities } from '#db/schema.ts';
import { blockMapScript, detailPath, holdBack } from '#e2e/dashboard/network-faults.ts';
import { signInToDemo } from '#e2e/dashboard/sign-in-form.ts';
import { askPoint, signIn } from '#e2e/dashboard/steps.ts';
import { expect, newCity, newCustomer, toothedRing } from '#e2e/support/fixtures.ts';
import type { Stage, State } from '../state.ts';

export const serviceAreaStates: State[] = [
  { name: 'demo', reach: (stage) => openDemo(stage) },
  { name: 'inside', reach: (stage) => openDemo(stage, '37.3000, -121.9000') },
  { name: 'outside', reach: (stage) => openDemo(stage, '37.9000, -122.3000') },
  { name: 'beyond-the-prices', reach: (stage) => openDemo(stage, '37.1000, -121.5000') },
  { name: 'misspelt', reach: (stage) => openDemo(stage, 'the harbor') },
  {
    name: 'position-denied',
    reach: async (stage) => {
      await openDemo(stage);
      await stage.page.getByRole('button', { name: 'Use this device’s location' }).click();
      await expect(stage.page.getByText(/This page isn’t allowed to see/)).toBeVisible();
    },
  },
  {
    name: 'finding-position',
    reach: async (stage) => {
      await stage.page.addInitScript(() => {
        navigator.geolocation.getCurrentPosition = () => undefined;
      });
      await openDemo(stage);
      await stage.page.getByRole('button', { name: 'Use this device’s location' }).click();
      await expect(stage.page.getByRole('button', { name: 'Finding your location…' })).toBeVisible();
    },
  },
  {
    name: 'price-table-open',
    reach: async (stage) => {
      await openDemo(stage);
      await stage.page.getByText('Prices as a table').click();
    },
  },
  {
    name: 'zoomed-in',
    reach: async (stage) => {
      await openDemo(stage, '37.3000, -121.9000');
      for (let press = 0; press < 3; press++) {
        await stage.page.getByRole('button', { name: 'Zoom in' }).click();
      }
    },
  },
  {
    name: 'map-script-failed',
    reach: async ({ page, customer }) => {
      await signIn(page, customer, '/profile');
      await blockMapScript(page);
      await page.goto('/service-area');
      await expect(page.getByText(/The map can’t be moved right now/)).toBeVisible();
    },
  },
  {
    name: 'inactive-city',
    reach: async ({ page, db, customer }) => {
      await db.update(cities).set({ isActive: false }).where(eq(cities.slug, customer.city.slug));
      await signIn(page, customer, '/service-area');
      await expect(page.locator('.leaflet-container path.map-area')).toBeAttached();
    },
  },
  {
    name: 'many-points',
    reach: openManyPoints,
  },
  {
    name: 'checking-many-points',
    reach: async (stage) => {
      await openManyPoints(stage);
      await holdBack(stage.page, detailPath);
      await askPoint(stage.page, '38.6000, -121.5000');
      await expect(stage.page.getByText('Checking 38.6000, -121.5000…')).toBeVisible();
    },
  },
  {
    name: 'full-ring-failed',
    reach: async (stage) => {
      await openManyPoints(stage);
      await stage.page.route(detailPath, (route) => route.fulfill({ status: 500, json: {} }));
      await askPoint(stage.page, '38.6000, -121.5000');
      await expect(stage.page.getByText('We couldn’t check this point.')).toBeVisible();
    },
  },
  {
    name: 'without-javascript',
    isWithoutJavaScript: true,
    reach: async ({ page }) => {
      await signInToDemo(page);
      await page.goto('/service-area?point=37.3000%2C+-121.9000');
    },
  },
];

async function openDemo({ page }: Stage, point?: string): Promise<void> {
  await signInToDemo(page);
  await page.goto('/service-area');
  await expect(page.locator('.leaflet-container path.map-area')).toBeAttached();
  if (point) await askPoint(page, point);
}

async function openManyPoints({ page, db }: Stage): Promise<void> {
  const customer = await newCustomer(db, { city: await newCity(db, { ring: toothedRing() }) });
  await signIn(page, customer, '/service-area');
  await expect(page.locator('.leaflet-container path.map-area')).toBeAttached();
}
