import type { Page } from '@playwright/test';
import { dashboardPages } from '#components/layout/nav-items.ts';
import { addTestCard, expect, test } from '../support/fixtures.ts';
import { holdBack } from './network-faults.ts';
import { signInByRequest } from './steps.ts';

const signedIn = dashboardPages.map(({ path }) => path);
const open = ['/sign-in', '/docs', '/docs/authentication'];

for (const width of [390, 1280]) {
  test.describe(`${width} px`, () => {
    test.use({ viewport: { width, height: 900 } });

    test('no layout shift on signed-in pages when fonts load late', async ({ page, customer, clientOf }) => {
      test.slow();
      await addTestCard(clientOf(customer));
      await signInByRequest(page.request, customer);
      for (const path of signedIn) await expectStillness(page, path);
    });

    test('no layout shift on public pages when fonts load late', async ({ page }) => {
      for (const path of open) await expectStillness(page, path);
    });
  });
}

/** Holds back the fonts until the page has been painted. */
async function expectStillness(page: Page, path: string): Promise<void> {
  await test.step(path, async () => {
    const letThrough = await holdBack(page, '**/*.woff2');
    await page.goto(path, { waitUntil: 'domcontentloaded' });
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.evaluate(untilPainted);
    expect(await page.evaluate(isFontHere), 'painted in the fallback font').toBe(false);
    letThrough();
    await page.waitForLoadState();
    await page.evaluate(() => document.fonts.ready);
    expect(await page.evaluate(isFontHere), 'then the font is here').toBe(true);
    expect.soft(await page.evaluate(movedParts), `what moved on ${path}`).toEqual([]);
    await page.unroute('**/*.woff2');
  });
}

/** Runs in the page. */
function untilPainted(): Promise<void> {
  return new Promise((resolve) => {
    new PerformanceObserver((list) => {
      if (list.getEntriesByName('first-contentful-paint').length > 0) resolve();
    }).observe({ type: 'paint', buffered: true });
  });
}

/** Runs in the page. */
function isFontHere(): boolean {
  return [...document.fonts].some(({ family, status }) => family === 'geistSans' && status === 'loaded');
}

type Shift = PerformanceEntry & {
  sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
};

/** Runs in the page. @returns the elements that moved */
function movedParts(): Promise<string[]> {
  return new Promise((resolve) => {
    const shifts: Shift[] = [];
    new PerformanceObserver((list) => {
      shifts.push(...(list.getEntries() as Shift[]));
    }).observe({ type: 'layout-shift', buffered: true });
    const position = ({ left, top }: DOMRect) => `${left}, ${top}`;
    const moved = () =>
      shifts
        .flatMap(({ sources }) => sources)
        .map(({ node, previousRect, currentRect }) => {
          return `${node?.textContent?.slice(0, 40)}: from ${position(previousRect)} to ${position(currentRect)}`;
        });
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(moved()))));
  });
}
