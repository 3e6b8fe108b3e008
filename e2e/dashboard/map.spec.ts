/** The interactive map, and the page when the map fails. */
import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures.ts';
import { blockMapScript, pageScripts, refuseDrawing } from './network-faults.ts';
import { askPoint, scrollToMap, signIn } from './steps.ts';

const map = (page: Page) => page.getByRole('application', { name: /^Map of the service area of Testville/ });
const response = (page: Page) =>
  page.getByRole('region', { name: 'Do we deliver there?' }).getByRole('status');

test('map: resizing keeps the whole area, or the center when zoomed in', async ({ page, customer }) => {
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

test("map: county labels do not overlap the area's edge", async ({ page, customer }) => {
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

test('map: zooming in keeps the selected point visible', async ({ page, customer }) => {
  await signIn(page, customer, '/service-area');
  await askPoint(page, '37.57, -122.17');
  const point = map(page).locator('path.map-selected');
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

test.describe('map script fails to load', () => {
  test.use({ expectedFaults: [/Failed to load resource|^ChunkLoadError/] });

  test('keeps the static map, the page works, and a retry loads the map', async ({ page, customer }) => {
    await signIn(page, customer, '/profile');
    await blockMapScript(page);
    await page.goto('/service-area');
    await expect(page.getByText(/The map can’t be moved right now/)).toBeVisible();
    await expect(page.getByRole('img', { name: /^Map\. We deliver across/ })).toBeVisible();
    await askPoint(page, '37.5, -122.1');
    await expect(response(page)).toContainText('Inside the service area');
    await page.unroute(pageScripts);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(map(page).locator('path.map-area')).toBeAttached();
    // Its button is gone, but the focus stays at the same position.
    await expect(page.locator('div:focus').filter({ has: map(page) })).toHaveCount(1);
    await page.keyboard.press('Tab');
    await expect(map(page)).toBeFocused();
  });
});

test.describe('map fails to render', () => {
  test.use({ expectedFaults: [/Drawing is disabled/] });

  test('keeps the static map, the page works, and a retry loads the map', async ({ page, customer }) => {
    await signIn(page, customer, '/profile');
    const restoreDrawing = await refuseDrawing(page);
    await page.goto('/service-area');
    await expect(page.getByText(/The map can’t be moved right now/)).toBeVisible();
    await expect(page.getByRole('img', { name: /^Map\. We deliver across/ })).toBeVisible();
    await askPoint(page, '37.5, -122.1');
    await expect(response(page)).toContainText('Inside the service area');
    await restoreDrawing();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(map(page).locator('path.map-area')).toBeAttached();
    await expect(page.getByText(/The map can’t be moved right now/)).toBeHidden();
  });
});

test('map: leaving the page during a zoom causes no error', async ({ page, customer }) => {
  await signIn(page, customer, '/service-area');
  // Leaflet does not animate before it has drawn something.
  await expect(map(page).locator('path.map-area')).toHaveAttribute('d', /^M/);
  // A zoom ends with its transition, which can be early in a busy browser, or else by a timer, which the clock holds back.
  await page.evaluate(() => addEventListener('transitionend', (event) => event.stopPropagation(), true));
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(30_000);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  // Leaflet begins in an animation frame, which the clock holds back if Leaflet was loaded after it.
  await page.clock.runFor(50);
  await expect(map(page).locator('.leaflet-zoom-anim')).toHaveCount(1);
  await page.getByRole('link', { name: 'Cards', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Cards' })).toBeVisible();
  await expect(map(page)).toHaveCount(0);
  await page.clock.runFor(1_000);
});

test('map: no layout shift while loading', async ({ page, customer }) => {
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

test.describe('prefers-reduced-motion', () => {
  test.use({ reducedMotion: 'reduce' });

  test('map: moves without animation to a selected point and by arrow keys', async ({ page, customer }) => {
    await signIn(page, customer, '/service-area');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect(page.getByRole('button', { name: 'Zoom out' })).toHaveAttribute('aria-disabled', 'false');
    const pane = map(page).locator('.leaflet-map-pane');
    await pane.evaluate((element) => {
      const observer = new MutationObserver(() => {
        if (element.classList.contains('leaflet-pan-anim')) Object.assign(window, { hasAnimated: true });
      });
      observer.observe(element, { attributeFilter: ['class'] });
    });
    const moves: (() => Promise<void>)[] = [
      () => map(page).click({ position: { x: 20, y: 200 } }),
      () => page.keyboard.press('ArrowRight'),
    ];
    for (const move of moves) {
      const before = await pane.getAttribute('style');
      await move();
      await expect(pane).not.toHaveAttribute('style', before ?? '');
    }
    expect(await page.evaluate(() => 'hasAnimated' in window)).toBe(false);
  });
});

test.describe('on a phone in landscape', () => {
  test.use({ viewport: { width: 844, height: 390 }, isMobile: true, hasTouch: true });

  test('map: a tap selects a point, two fingers move the map, and one finger scrolls the page', async ({
    page,
    customer,
  }) => {
    await signIn(page, customer, '/service-area');
    await scrollToMap(page);
    const area = map(page).locator('path.map-area');
    const outline = await area.getAttribute('d');
    const scrollY = () => page.evaluate(() => window.scrollY);
    expect((await map(page).boundingBox())?.height).toBeLessThan(300);
    await map(page).tap();
    await expect(response(page)).toContainText('Inside the service area');
    await page.getByRole('button', { name: 'Zoom in' }).tap();
    await expect(area).not.toHaveAttribute('d', outline ?? '');
    const pointY = async () => (await map(page).locator('path.map-selected').boundingBox())?.y ?? 0;
    const [y, scrolled] = [await pointY(), await scrollY()];
    await dragOnMap(page, 2, -60);
    await expect.poll(pointY).toBeLessThan(y - 30);
    expect(await scrollY()).toBe(scrolled);

    // Last, because a tap on a page that is still scrolling only stops it.
    await page.goto('/service-area');
    await scrollToMap(page);
    const top = await scrollY();
    await dragOnMap(page, 1, -100);
    await expect.poll(scrollY).toBeGreaterThan(top + 50);
    await expect(area).toHaveAttribute('d', outline ?? '');
  });
});

/** Drags fingers that are side by side up or down from the middle of the map. */
async function dragOnMap(page: Page, fingers: 1 | 2, distance: number): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const box = await map(page).boundingBox();
  if (!box) throw new Error('The map has no size.');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', moved: number) => {
    const points = Array.from({ length: fingers }, (_, id) => ({ id, x: x + 60 * id, y: y + moved }));
    return client.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : points });
  };
  await touch('touchStart', 0);
  for (let step = 1; step <= 10; step++) await touch('touchMove', (distance * step) / 10);
  await touch('touchEnd', distance);
}
