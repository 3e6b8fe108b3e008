import type { Page } from '@playwright/test';
import { eq } from 'drizzle-orm';
import { cities } from '#db/schema/index.ts';
import { expect, newCity, newCustomer, test } from '../fixtures.ts';
import { blockMapScript, pageScripts, refuseDrawing } from './mishaps.ts';
import { askPoint, signIn } from './steps.ts';

const map = (page: Page) => page.getByRole('application', { name: /^Map of the service area of Testville/ });
const answer = (page: Page) => page.getByRole('region', { name: 'Do we deliver there?' }).getByRole('status');

test('shows the area, its scale in miles, what runs there, and the same in words', async ({
  page,
  customer,
}) => {
  await signIn(page, customer, '/service-area');
  await expect(map(page)).toBeVisible();
  await expect(map(page).locator('path.map-area')).toHaveAttribute('d', /^M/);
  await expect(map(page).getByText(/^\d+ mi$/)).toBeVisible();
  await expect(
    page.getByText(
      /^Deliveries in Testville, Test County, reach about \d+ square miles around 37\.5000, -122\.1000\.$/,
    ),
  ).toBeVisible();
  await expect(page.getByRole('region', { name: 'What runs in Testville' })).toContainText('Delivery app');
  const reach = page.getByRole('region', { name: 'From the center to the edge' });
  await expect(reach).toContainText('North6.9 miles');
  await expect(reach).toContainText('East5.5 miles');
});

test('shows the prices as steps, with a table behind them', async ({ page, customer }) => {
  await signIn(page, customer, '/service-area');
  const prices = page.getByRole('region', { name: 'What a delivery costs' });
  await expect(
    prices.getByRole('img', { name: /^Step plot .* \$8\.99 within 3 miles .* \$13\.49 at 10 miles/ }),
  ).toBeVisible();
  await prices.getByText('The prices as a table').click();
  await expect(prices.getByRole('row', { name: 'over 3, up to 6 miles $11.24' })).toBeVisible();
});

test('a typed point: inside with its price, outside, and what is no point', async ({ page, customer }) => {
  await signIn(page, customer, '/service-area');
  await askPoint(page, '37.5, -122.1');
  await expect(answer(page)).toContainText('Inside the service area');
  await expect(answer(page)).toContainText(
    '0.0 miles from the center of Testville. A delivery there costs $8.99.',
  );
  await askPoint(page, '37.56, -122.1');
  await expect(answer(page)).toContainText(
    '4.1 miles from the center of Testville. A delivery there costs $11.24.',
  );
  await askPoint(page, '37.9, -122.1');
  await expect(answer(page)).toContainText('Outside the service area');
  await expect(answer(page)).toContainText(
    '27.6 miles from the center of Testville. Deliveries don’t go there.',
  );
  await askPoint(page, 'the harbor');
  await expect(page.getByLabel('Latitude and longitude')).toHaveAccessibleDescription(
    /Type a latitude and a longitude/,
  );
});

test('a point inside the area and beyond the price table has no set price', async ({ page, db }) => {
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
  await expect(answer(page)).toContainText('Inside the service area');
  await expect(answer(page)).toContainText('The price table ends at 10 miles');
});

test('nothing runs in a city that is stopped', async ({ page, customer, db }) => {
  await db.update(cities).set({ isActive: false }).where(eq(cities.slug, customer.city.slug));
  await signIn(page, customer, '/service-area');
  const apps = page.getByRole('region', { name: 'What runs in Testville' });
  await expect(apps.getByText('Not active')).toHaveCount(4);
  await expect(page.getByText('Deliveries in Testville are stopped.')).toBeVisible();
  await expect(page.getByText(/^The service area of Testville, Test County: about \d+ square/)).toBeVisible();
  await askPoint(page, '37.5, -122.1');
  await expect(answer(page)).toContainText('Deliveries there are stopped for now.');
  await expect(answer(page)).not.toContainText('costs');
});

test('a window of another size shows the whole area, and to who has come nearer what was in the middle', async ({
  page,
  customer,
}) => {
  await signIn(page, customer, '/service-area');
  const zoomOut = page.getByRole('button', { name: 'Zoom out' });
  const resize = async (width: number) => {
    const before = await map(page).boundingBox();
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(async () => (await map(page).boundingBox())?.width).not.toBe(before?.width);
    await expect(map(page).locator('svg').first()).toHaveAttribute('width', /./);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
  };
  await expect(zoomOut).toHaveAttribute('aria-disabled', 'true');
  await resize(600);
  await expect(zoomOut).toHaveAttribute('aria-disabled', 'true');
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect(zoomOut).toHaveAttribute('aria-disabled', 'false');
  await resize(500);
  await expect(zoomOut).toHaveAttribute('aria-disabled', 'false');
});

test('a clicked point, and by the keyboard the point in the middle', async ({ page, customer }) => {
  await signIn(page, customer, '/service-area');
  const box = await map(page).boundingBox();
  if (!box) throw new Error('The map has no size.');
  await map(page).click({ position: { x: box.width / 2, y: box.height / 2 } });
  await expect(answer(page)).toContainText('Inside the service area');
  await map(page).click({ position: { x: box.width - 12, y: box.height / 2 } });
  await expect(answer(page)).toContainText('Outside the service area');
  await expect(page.getByLabel('Latitude and longitude')).toHaveValue(/^37\.\d{4}, -12\d\.\d{4}$/);
  await map(page).focus();
  await page.keyboard.press('+');
  await page.keyboard.press('Enter');
  await expect(answer(page)).toContainText('Inside the service area');
});

test('no county’s name is struck through by the edge of the area', async ({ page, customer }) => {
  await signIn(page, customer, '/service-area');
  await expect(map(page).locator('.map-name.is-crowded')).not.toHaveCount(0);
  const names = await page.evaluate(() => {
    const edge = document.querySelector<SVGGeometryElement>('.leaflet-container path.map-area');
    const toDrawing = edge?.getScreenCTM()?.inverse();
    const isOnEdge = (x: number, y: number) =>
      edge?.isPointInStroke(new DOMPoint(x, y).matrixTransform(toDrawing)) ?? true;
    return [...document.querySelectorAll('.map-name:not(.map-city)')].map((name) => {
      const { x, y, width, height } = name.firstElementChild?.getBoundingClientRect() ?? new DOMRect();
      const along = Array.from({ length: Math.ceil(width) }, (_, step) => isOnEdge(x + step, y + height / 2));
      const across = Array.from({ length: Math.ceil(height) }, (_, step) =>
        isOnEdge(x + width / 2, y + step),
      );
      const isStruck = [...along, ...across].includes(true);
      return { name: name.textContent, isStruck, isShown: !name.classList.contains('is-crowded') };
    });
  });
  expect(names.filter(({ isStruck }) => isStruck).length).toBeGreaterThan(0);
  expect(names.filter(({ isStruck, isShown }) => isStruck && isShown)).toEqual([]);
});

test('coming nearer keeps the point that was asked for in sight', async ({ page, customer }) => {
  await signIn(page, customer, '/service-area');
  await askPoint(page, '37.57, -122.17');
  const point = map(page).locator('path.map-pick');
  await expect(point).toBeInViewport();
  const zoomOut = page.getByRole('button', { name: 'Zoom out' });
  for (let press = 0; press < 3; press++) {
    const before = await map(page).locator('path.map-area').getAttribute('d');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect(map(page).locator('path.map-area')).not.toHaveAttribute('d', before ?? '');
  }
  await expect(zoomOut).toHaveAttribute('aria-disabled', 'false');
  await expect(point).toBeInViewport();
});

test.describe('with a position', () => {
  test.use({ permissions: ['geolocation'], geolocation: { latitude: 37.45, longitude: -122.05 } });

  test('checks where the device is, and sends that nowhere', async ({ page, customer }) => {
    await signIn(page, customer, '/service-area');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')));
    await page.getByRole('button', { name: 'Use this device’s position' }).click();
    await expect(answer(page)).toContainText('37.4500, -122.0500 is 4.4 miles from the center');
    expect(sent.filter((text) => text.includes('37.45'))).toEqual([]);
  });
});

test('says in words when the device’s position is not to be had', async ({ page, customer }) => {
  await signIn(page, customer, '/service-area');
  await page.getByRole('button', { name: 'Use this device’s position' }).click();
  await expect(page.getByText(/This page isn’t allowed to see the device’s position/)).toBeVisible();
  await expect(page.getByLabel('Latitude and longitude')).not.toHaveAttribute('aria-invalid');
});

test.describe('when the map’s script does not load', () => {
  test.use({ expectedFaults: [/Failed to load resource|^ChunkLoadError/] });

  test('its picture stays, the rest works, and another try brings the map', async ({ page, customer }) => {
    await signIn(page, customer, '/profile');
    await blockMapScript(page);
    await page.goto('/service-area');
    await expect(page.getByText(/The map can’t be moved right now/)).toBeVisible();
    await expect(page.getByRole('img', { name: /^Map\. Deliveries in Testville/ })).toBeVisible();
    await askPoint(page, '37.5, -122.1');
    await expect(answer(page)).toContainText('Inside the service area');
    await page.unroute(pageScripts);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(map(page).locator('path.map-area')).toBeAttached();
    // The button is gone: the keyboard goes on from where it was.
    await expect(page.locator('div:focus').filter({ has: map(page) })).toHaveCount(1);
    await page.keyboard.press('Tab');
    await expect(map(page)).toBeFocused();
  });
});

test.describe('when the map cannot be drawn', () => {
  test.use({ expectedFaults: [/Nothing is drawn here/] });

  test('its picture stays, the rest works, and another try brings the map', async ({ page, customer }) => {
    await signIn(page, customer, '/profile');
    const mend = await refuseDrawing(page);
    await page.goto('/service-area');
    await expect(page.getByText(/The map can’t be moved right now/)).toBeVisible();
    await expect(page.getByRole('img', { name: /^Map\. Deliveries in Testville/ })).toBeVisible();
    await askPoint(page, '37.5, -122.1');
    await expect(answer(page)).toContainText('Inside the service area');
    await mend();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(map(page).locator('path.map-area')).toBeAttached();
    await expect(page.getByText(/The map can’t be moved right now/)).toBeHidden();
  });
});

test('loads nothing from elsewhere', async ({ page, customer, baseURL }) => {
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (baseURL && !request.url().startsWith(baseURL) && /^https?:/.test(request.url()))
      elsewhere.push(request.url());
  });
  await signIn(page, customer, '/service-area');
  await expect(map(page)).toBeVisible();
  expect(elsewhere).toEqual([]);
});

test('moves nothing while the map comes', async ({ page, customer }) => {
  await signIn(page, customer, '/profile');
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        shifts.push((entry as PerformanceEntry & { value: number }).value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto('/service-area');
  await expect(map(page)).toBeVisible();
  expect(await page.evaluate(() => (window as Window & { shifts?: number[] }).shifts)).toEqual([]);
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('has the picture, the words and the answer', async ({ page, customer }) => {
    await signIn(page, customer, '/service-area');
    await expect(page.getByRole('img', { name: /^Map\. Deliveries in Testville/ })).toBeVisible();
    await askPoint(page, '37.56, -122.1');
    await expect(answer(page)).toContainText('A delivery there costs $11.24.');
    await expect(page.locator('.map-pick-dot')).toBeAttached();
    await askPoint(page, 'nowhere');
    await expect(page.getByText(/Type a latitude and a longitude/)).toBeVisible();
  });
});
