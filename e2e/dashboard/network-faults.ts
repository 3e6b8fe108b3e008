/** Network and rendering faults for page tests. */
import type { Page } from '@playwright/test';
import { type ProblemCode, problems } from '#src/errors.ts';
import { errorBody } from '#tools/testing/normalize.ts';
import { cardsPath } from './steps.ts';

export const detailPath = '**/api/schedule/v1/customers/detail';
export const cardScript = '**/endive/stripe.js';
export const pageScripts = /\/_next\/static\/chunks\/.*\.js/;

export async function respondToCards(
  page: Page,
  type: ProblemCode,
  { retryAfterSeconds }: { retryAfterSeconds?: number } = {},
): Promise<void> {
  await page.route(cardsPath, (route) =>
    route.fulfill({
      status: problems[type].status,
      ...(retryAfterSeconds && { headers: { 'retry-after': `${retryAfterSeconds}` } }),
      json: errorBody(type, problems[type].message),
    }),
  );
}

/** Holds requests for `url`. @returns a function that releases them */
export async function holdBack(page: Page, url: Parameters<Page['route']>[0]): Promise<() => void> {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

/** Blocks the map's script on the next page. */
export async function blockMapScript(page: Page): Promise<void> {
  await page.route(pageScripts, async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    await (body.includes('leaflet-container') ? route.abort() : route.fulfill({ response, body }));
  });
}

/** Makes drawing the map fail on the next page. @returns a function that restores it */
export async function refuseDrawing(page: Page): Promise<() => Promise<void>> {
  await page.addInitScript(() => {
    const create = document.createElementNS;
    const refuse = (space: string, name: string) => {
      if (name === 'path') throw new Error('Drawing is disabled.');
      return create.call(document, space, name);
    };
    Object.assign(document, { createElementNS: refuse });
  });
  return () => page.evaluate(() => void Reflect.deleteProperty(document, 'createElementNS'));
}

/** Blocks the script of the error page, so that only app/global-error.tsx is left. */
export async function loseErrorPageScript(page: Page): Promise<void> {
  await page.route(pageScripts, async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    // Only app/error.tsx exports another module's component as its own.
    const isErrorPage = /"default,\w+"\]/.test(body);
    await (isErrorPage ? route.abort() : route.fulfill({ response, body }));
  });
}

/** Returns to the tab two minutes later. The page's clock must be installed. */
export async function comeBackLater(page: Page): Promise<void> {
  await page.clock.fastForward('02:00');
  await page.evaluate(() => {
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
}
