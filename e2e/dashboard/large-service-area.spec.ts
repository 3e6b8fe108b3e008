import type { Page, Route } from '@playwright/test';
import { formatPosition } from '#components/service-area/format.ts';
import { formatRing, isInside, type Position, parseRing } from '#src/geo/position.ts';
import { serviceAreaOf } from '#src/geo/service-area.ts';
import { test as base, expect, newCity, newCustomer, toothedRing } from '../support/fixtures.ts';
import { detailPath, holdBack } from './network-faults.ts';
import { askPoint, scrollToMap, signIn } from './steps.ts';

const test = base.extend({
  customer: async ({ db }, use) =>
    use(await newCustomer(db, { city: await newCity(db, { ring: toothedRing() }) })),
});

const outline = (page: Page) => page.locator('.leaflet-container path.map-area');
const response = (page: Page) =>
  page.getByRole('region', { name: 'Do we deliver there?' }).getByRole('status');
const fullRing: Position[] = toothedRing();
const cornersOf = async (page: Page) => (await outline(page).getAttribute('d'))?.split('L').length ?? 0;

/** @returns the URLs of the getCustomer requests, added as they are sent */
function detailRequests(page: Page): string[] {
  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/customers/detail')) requests.push(request.url());
  });
  return requests;
}

test("large service area: draws 50,000 points at the zoom's resolution without loading them all", async ({
  page,
  customer,
}) => {
  await signIn(page, customer, '/profile');
  const requests = detailRequests(page);
  const response = await page.goto('/service-area');
  await expect(outline(page)).toHaveAttribute('d', /^M/);
  // The outline is simplified, but keeps the details that are visible at this zoom.
  expect(await cornersOf(page)).toBeGreaterThan(400);
  expect(await cornersOf(page)).toBeLessThan(10_000);
  expect((await response?.body())?.length).toBeLessThan(JSON.stringify(fullRing).length / 10);
  expect(requests).toEqual([]);
});

for (const path of ['/service-area', '/']) {
  test(`large service area: the map of ${path} draws every point when zoomed in`, async ({
    page,
    customer,
  }) => {
    await signIn(page, customer, path);
    await scrollToMap(page);
    const requests = detailRequests(page);
    const letThrough = await holdBack(page, detailPath);
    await zoomToNorthernEdge(page);
    await expect.poll(() => requests.length).toBe(1);
    const ofOutline = await cornersOf(page);
    expect(ofOutline).toBeGreaterThan(5);
    letThrough();
    await expect.poll(() => cornersOf(page)).toBeGreaterThan(1.4 * ofOutline);
  });
}

test('large service area: a point is checked against the full ring', async ({ page, customer }) => {
  const { area, point } = pointInTheGap();
  await signIn(page, customer, '/service-area');
  const letThrough = await holdBack(page, detailPath);
  await askPoint(page, point.toReversed().join(', '));
  await expect(response(page)).toHaveText(`Checking ${formatPosition(point)}…`);
  letThrough();
  await expect(response(page)).toContainText(`${area} the service area`);
});

test.describe('large service area, full ring fails to load', () => {
  test.use({ expectedFaults: [/Failed to load resource/] });

  test('reports it at the checked point, and retries with the next check', async ({ page, customer }) => {
    await signIn(page, customer, '/service-area');
    await page.route(detailPath, refused);
    await askPoint(page, '38.58, -121.5');
    await expect(response(page)).toContainText('We couldn’t check this point');
    await expect(page.getByRole('button', { name: 'Try again' })).toBeHidden();
    await page.unroute(detailPath);
    const letThrough = await holdBack(page, detailPath);
    const check = page.getByRole('button', { name: 'Check this point' });
    await check.click();
    const busy = page.getByRole('button', { name: 'Checking…' });
    await expect(busy).toHaveAttribute('aria-disabled', 'true');
    letThrough();
    await expect(response(page)).toContainText('Inside the service area');
    await expect(check).not.toHaveAttribute('aria-disabled');
  });

  test('reports it on a zoomed map and retries', async ({ page, customer }) => {
    await signIn(page, customer, '/service-area');
    await scrollToMap(page);
    await page.route(detailPath, refused);
    await zoomToNorthernEdge(page);
    const notice = page.getByText('At this zoom level, the edge of the area is only approximate.');
    await expect(notice).toBeVisible();
    const ofOutline = await cornersOf(page);
    await page.unroute(detailPath);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(notice).toBeHidden();
    // Its button is gone, but the focus stays at the same position.
    await expect(page.locator('div:focus').filter({ has: outline(page) })).toHaveCount(1);
    await expect.poll(() => cornersOf(page)).toBeGreaterThan(1.4 * ofOutline);
  });
});

const refused = (route: Route) => route.fulfill({ status: 500, json: {} });

/** Leaflet zooms to a box that is drawn with Shift held. */
async function zoomToNorthernEdge(page: Page): Promise<void> {
  const box = await outline(page).boundingBox();
  if (!box) throw new Error('The outline has no size.');
  const middle = box.x + box.width / 2;
  await page.keyboard.down('Shift');
  await page.mouse.move(middle - 4, box.y - 2);
  await page.mouse.down();
  await page.mouse.move(middle + 4, box.y + 4, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
}

/** @returns a point for which the simplified outline and the full ring disagree, and whether it is inside the full ring */
function pointInTheGap(): { area: 'Inside' | 'Outside'; point: Position } {
  const { simplified } = serviceAreaOf({
    polygonPoints: formatRing(fullRing),
    latitude: '38.58',
    longitude: '-121.5',
  });
  const simplifiedRing = parseRing(simplified.text);
  for (const [lng, lat] of fullRing.slice(0, 500)) {
    const point: Position = [Number(lng.toFixed(6)), Number((lat + 0.00002).toFixed(6))];
    const isIn = isInside(point, fullRing);
    if (isIn !== isInside(point, simplifiedRing)) return { area: isIn ? 'Inside' : 'Outside', point };
  }
  throw new Error('The simplified ring is the full ring.');
}
