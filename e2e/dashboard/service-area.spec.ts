import type { Page } from '@playwright/test';
import { eq } from 'drizzle-orm';
import { cities } from '#db/schema.ts';
import { expect, newCity, newCustomer, test } from '../support/fixtures.ts';
import { holdBack, pageScripts } from './network-faults.ts';
import { askPoint, signIn } from './steps.ts';

const map = (page: Page) => page.getByRole('application', { name: /^Map of the service area of Testville/ });
const response = (page: Page) =>
  page.getByRole('region', { name: 'Do we deliver there?' }).getByRole('status');

test('service area: shows the map, scale in miles, city services, and a text summary', async ({
  page,
  customer,
}) => {
  await signIn(page, customer, '/service-area');
  await expect(map(page)).toBeVisible();
  await expect(map(page).locator('path.map-area')).toHaveAttribute('d', /^M/);
  await expect(map(page).getByText(/^\d+ mi$/)).toBeVisible();
  await expect(
    page.getByText(/^We deliver across about \d+ square miles around Testville \(Test County\)\.$/),
  ).toBeVisible();
  await expect(page.getByRole('region', { name: 'Services in Testville' })).toContainText('Delivery app');
  const reach = page.getByRole('region', { name: 'From the center to the edge' });
  await expect(reach).toContainText('North6.9 miles');
  await expect(reach).toContainText('East5.5 miles');
});

test('delivery prices: chart with a data table', async ({ page, customer }) => {
  await signIn(page, customer, '/service-area');
  const prices = page.getByRole('region', { name: 'Delivery prices' });
  await expect(
    prices.getByRole('img', { name: /^Step chart .* \$8\.99 within 3 miles .* \$13\.49 at 10 miles/ }),
  ).toBeVisible();
  await prices.getByText('Prices as a table').click();
  await expect(prices.getByRole('row', { name: 'over 3, up to 6 miles $11.24' })).toBeVisible();
});

test('check a point: inside with its price, outside, and invalid input', async ({ page, customer }) => {
  await signIn(page, customer, '/service-area');
  await askPoint(page, '37.5, -122.1');
  await expect(response(page)).toContainText('Inside the service area');
  await expect(response(page)).toContainText(
    '0.0 miles from the center of Testville. A delivery there costs $8.99.',
  );
  await askPoint(page, '37.56, -122.1');
  await expect(response(page)).toContainText(
    '4.1 miles from the center of Testville. A delivery there costs $11.24.',
  );
  await askPoint(page, '37.9, -122.1');
  await expect(response(page)).toContainText('Outside the service area');
  await expect(response(page)).toContainText(
    '27.6 miles from the center of Testville. We don’t deliver there.',
  );
  await askPoint(page, 'the harbor');
  await expect(page.getByLabel('Latitude and longitude')).toHaveAccessibleDescription(
    /Enter a latitude and longitude/,
  );
});

test('check a point: keeps what was typed before the scripts had loaded', async ({ page, customer }) => {
  await signIn(page, customer);
  const letThrough = await holdBack(page, pageScripts);
  // The page's load event waits for the scripts.
  await page.goto('/service-area', { waitUntil: 'commit' });
  const field = page.getByLabel('Latitude and longitude');
  await field.pressSequentially('nowhere');
  letThrough();
  await expect(page.getByRole('button', { name: 'Use this device’s location' })).toBeVisible();
  await page.getByRole('button', { name: 'Check this point' }).click();
  await expect(field).toHaveAccessibleDescription(/Enter a latitude and longitude/);
  await expect(field).toHaveValue('nowhere');
});

test('check a point: inside the area and beyond the price list', async ({ page, db }) => {
  const [west, east, south, north] = [-122.5, -121.7, 37.2, 37.8];
  const wide: [number, number][] = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  const customer = await newCustomer(db, { city: await newCity(db, { ring: wide }) });
  await signIn(page, customer, '/service-area');
  await askPoint(page, '37.7, -122.1');
  await expect(response(page)).toContainText('Inside the service area');
  await expect(response(page)).toContainText('That’s beyond our 10-mile price list. Contact');
  await expect(response(page).getByRole('link')).toHaveAttribute('href', /^mailto:/);
});

test('service area: no services in an inactive city', async ({ page, customer, db }) => {
  await db.update(cities).set({ isActive: false }).where(eq(cities.slug, customer.city.slug));
  await signIn(page, customer, '/service-area');
  const apps = page.getByRole('region', { name: 'Services in Testville' });
  await expect(apps.getByText('Not active')).toHaveCount(4);
  await expect(page.getByText('Deliveries in Testville are paused.')).toBeVisible();
  await expect(page.getByText(/^The service area is about \d+ square miles around Testville/)).toBeVisible();
  await askPoint(page, '37.5, -122.1');
  await expect(response(page)).toContainText('Deliveries there are paused for now.');
  await expect(response(page)).not.toContainText('costs');
});

test('check a point: by click, and the map center by keyboard', async ({ page, customer }) => {
  await signIn(page, customer, '/service-area');
  const box = await map(page).boundingBox();
  if (!box) throw new Error('The map has no size.');
  /** Those of the keyboard: the focus ring and the mark of the center. */
  const marks = () =>
    map(page).evaluate((element) =>
      ['::before', '::after'].map((part) => getComputedStyle(element, part).content),
    );
  await map(page).click({ position: { x: box.width / 2, y: box.height / 2 } });
  await expect(response(page)).toContainText('Inside the service area');
  await map(page).click({ position: { x: box.width - 12, y: box.height / 2 } });
  await expect(response(page)).toContainText('Outside the service area');
  expect(await marks()).toEqual(['none', 'none']);
  await expect(page.getByLabel('Latitude and longitude')).toHaveValue(/^37\.\d{4}, -12\d\.\d{4}$/);
  await map(page).focus();
  await page.keyboard.press('+');
  expect(await marks()).toEqual(['""', '""']);
  await page.keyboard.press('Enter');
  await expect(response(page)).toContainText('Inside the service area');
});

test.describe('with geolocation', () => {
  test.use({ permissions: ['geolocation'], geolocation: { latitude: 37.45, longitude: -122.05 } });

  test("check a point: uses the device's position without sending it anywhere", async ({
    page,
    customer,
  }) => {
    await signIn(page, customer, '/service-area');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')));
    await page.getByRole('button', { name: 'Use this device’s location' }).click();
    await expect(response(page)).toContainText('37.4500, -122.0500 is 4.4 miles from the center');
    expect(sent.filter((text) => text.includes('37.45'))).toEqual([]);
  });
});

test('check a point: a late position of the device does not replace the point that was chosen since', async ({
  page,
  customer,
}) => {
  await page.addInitScript(() => {
    navigator.geolocation.getCurrentPosition = (respond) =>
      window.addEventListener('found', () =>
        respond({ coords: { latitude: 37.45, longitude: -122.05 } } as GeolocationPosition),
      );
  });
  await signIn(page, customer, '/service-area');
  await page.getByRole('button', { name: 'Use this device’s location' }).click();
  await askPoint(page, '37.56, -122.1');
  await expect(response(page)).toContainText('37.5600, -122.1000 is');
  await page.evaluate(() => {
    window.dispatchEvent(new Event('found'));
    return new Promise(requestAnimationFrame);
  });
  await expect(response(page)).toContainText('37.5600, -122.1000 is');
  await expect(page.getByLabel('Latitude and longitude')).toHaveValue('37.5600, -122.1000');
});

test('check a point: reports an unavailable position', async ({ page, customer }) => {
  await signIn(page, customer, '/service-area');
  await page.getByRole('button', { name: 'Use this device’s location' }).click();
  await expect(page.getByText(/This page isn’t allowed to see your location/)).toBeVisible();
  await expect(page.getByLabel('Latitude and longitude')).not.toHaveAttribute('aria-invalid');
});

test('service area: no third-party requests', async ({ page, customer, baseURL }) => {
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (baseURL && !request.url().startsWith(baseURL) && /^https?:/.test(request.url()))
      elsewhere.push(request.url());
  });
  await signIn(page, customer, '/service-area');
  await expect(map(page)).toBeVisible();
  expect(elsewhere).toEqual([]);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('service area: static map, summary, and point check', async ({ page, customer }) => {
    await signIn(page, customer, '/service-area');
    await expect(page.getByRole('img', { name: /^Map\. We deliver across/ })).toBeVisible();
    await expect(page.getByText('Enter the coordinates of a point.')).toBeVisible();
    await expect(page.getByText('Choose a point on the map')).toBeHidden();
    await askPoint(page, '37.56, -122.1');
    await expect(response(page)).toContainText('A delivery there costs $11.24.');
    await expect(page.locator('.map-selected-dot')).toBeAttached();
    await askPoint(page, 'nowhere');
    await expect(page.getByText(/Enter a latitude and longitude/)).toBeVisible();
  });
});
