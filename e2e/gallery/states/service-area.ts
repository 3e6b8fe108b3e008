import { eq } from 'drizzle-orm';
import { cities } from '#db/schema.ts';
import { blockMapScript, detailPath, holdBack } from '#e2e/dashboard/network-faults.ts';
import { askPoint, signIn } from '#e2e/dashboard/steps.ts';
import { expect, newCity, newCustomer, toothedRing } from '#e2e/support/fixtures.ts';
import type { Stage, State } from '../state.ts';

const inside = '37.3000, -121.9000';

export const serviceAreaStates: State[] = [
  { name: 'demo', demo: '/service-area', reach: waitForMap },
  ...Object.entries({
    inside,
    outside: '37.9000, -122.3000',
    'beyond-the-prices': '37.1000, -121.5000',
    misspelt: 'the harbor',
  }).map(([name, point]): State => ({ name, demo: '/service-area', reach: (stage) => ask(stage, point) })),
  {
    name: 'position-denied',
    demo: '/service-area',
    reach: async (stage) => {
      await waitForMap(stage);
      await stage.page.getByRole('button', { name: 'Use this device’s location' }).click();
      await expect(stage.page.getByText(/This page isn’t allowed to see/)).toBeVisible();
    },
  },
  {
    name: 'finding-position',
    prepare: ({ page }) =>
      page.addInitScript(() => {
        navigator.geolocation.getCurrentPosition = () => undefined;
      }),
    demo: '/service-area',
    reach: async (stage) => {
      await waitForMap(stage);
      await stage.page.getByRole('button', { name: 'Use this device’s location' }).click();
      await expect(stage.page.getByRole('button', { name: 'Finding your location…' })).toBeVisible();
    },
  },
  {
    name: 'price-table-open',
    demo: '/service-area',
    reach: async (stage) => {
      await waitForMap(stage);
      await stage.page.getByText('Prices as a table').click();
    },
  },
  {
    name: 'zoomed-in',
    demo: '/service-area',
    reach: async (stage) => {
      await ask(stage, inside);
      for (let press = 0; press < 3; press++) {
        await stage.page.getByRole('button', { name: 'Zoom in' }).click();
      }
    },
  },
  {
    name: 'map-script-failed',
    open: '/profile',
    reach: async ({ page }) => {
      await blockMapScript(page);
      await page.goto('/service-area');
      await expect(page.getByText(/The map can’t be moved right now/)).toBeVisible();
    },
  },
  {
    name: 'inactive-city',
    prepare: ({ db, customer }) =>
      db.update(cities).set({ isActive: false }).where(eq(cities.slug, customer.city.slug)),
    open: '/service-area',
    reach: waitForMap,
  },
  { name: 'many-points', reach: openManyPoints },
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
  { name: 'without-javascript', isWithoutJavaScript: true, demo: '/service-area?point=37.3000%2C+-121.9000' },
];

function waitForMap({ page }: Stage): Promise<void> {
  return expect(page.locator('.leaflet-container path.map-area')).toBeAttached();
}

async function ask(stage: Stage, point: string): Promise<void> {
  await waitForMap(stage);
  await askPoint(stage.page, point);
}

async function openManyPoints(stage: Stage): Promise<void> {
  const customer = await newCustomer(stage.db, { city: await newCity(stage.db, { ring: toothedRing() }) });
  await signIn(stage.page, customer, '/service-area');
  await waitForMap(stage);
}
