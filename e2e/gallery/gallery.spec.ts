/** `npm run gallery` takes a picture of every page in every state. */
import type { Page } from '@playwright/test';
import { askPoint, signIn, signInToDemo } from '../dashboard/steps.ts';
import { openStreetMap, test as withStreets } from '../dashboard/street-service.ts';
import { expect, test } from '../support/fixtures.ts';
import type { Stage, State } from './state.ts';
import { apiAccessStates, profileStates, signInStates } from './states/account.ts';
import { cardFormStates, cardsStates } from './states/cards.ts';
import { consoleStates, errorStates } from './states/docs-and-errors.ts';
import { overviewStates } from './states/overview.ts';
import { payoutStates } from './states/payout.ts';
import { serviceAreaStates } from './states/service-area.ts';

/** Color schemes and sizes of the pictures. */
const modes = {
  'desk-light': { colorScheme: 'light', width: 1280, height: 900 },
  'desk-dark': { colorScheme: 'dark', width: 1280, height: 900 },
  'phone-light': { colorScheme: 'light', width: 390, height: 844 },
  'phone-dark': { colorScheme: 'dark', width: 390, height: 844 },
  'wide-light': { colorScheme: 'light', width: 1920, height: 1080 },
  'narrow-light': { colorScheme: 'light', width: 320, height: 640 },
} as const;

/**
 * Writes `gallery/<section>/<name>.<mode>.png` for every mode.
 * @param options.isWindowOnly for a dialog, which covers the window and not the whole page
 */
async function takePictures(
  page: Page,
  section: string,
  name: string,
  { isWindowOnly = false } = {},
): Promise<void> {
  for (const [mode, { colorScheme, width, height }] of Object.entries(modes)) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    await page.evaluate(() => document.fonts.ready);
    // In a window as high as the page, fixed elements are at the edges of the page.
    if (isWindowOnly) await page.evaluate(() => scrollTo(0, 0));
    else await page.setViewportSize({ width, height: Math.max(height, await pageHeight(page)) });
    // The first picture after a resize can be incomplete.
    await page.screenshot({ animations: 'disabled' });
    await page.screenshot({ path: `gallery/${section}/${name}.${mode}.png`, animations: 'disabled' });
  }
}

async function enter({ prepare, demo, open, reach }: State, stage: Stage): Promise<void> {
  const { page, customer } = stage;
  await prepare?.(stage);
  if (demo) await signInToDemo(page, demo);
  if (open) await signIn(page, customer, open);
  if (demo || open) await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await reach?.(stage);
}

const pageHeight = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight);

const sections: Record<string, State[]> = {
  'sign-in': signInStates,
  overview: overviewStates,
  payout: payoutStates,
  cards: cardsStates,
  'card-form': cardFormStates,
  'service-area': serviceAreaStates,
  'api-access': apiAccessStates,
  profile: profileStates,
  errors: errorStates,
  docs: consoleStates,
};

// Caches the font, because a page painted before its font has loaded keeps the fallback font.
test.beforeEach(async ({ page }) => void (await page.goto('/sign-in')));

for (const [section, states] of Object.entries(sections)) {
  for (const state of states) {
    const { name, isWithoutJavaScript = false, isWindowOnly = false } = state;
    test.describe(() => {
      test.use({ expectedFaults: [/./], javaScriptEnabled: !isWithoutJavaScript });

      test(`${section}, ${name}`, async ({ page, context, db, api, clientOf, customer }) => {
        test.slow();
        await enter(state, { page, context, db, api, clientOf, customer });
        await takePictures(page, section, name, { isWindowOnly });
      });
    });
  }
}

test('docs, each page', async ({ page }) => {
  test.setTimeout(180_000);
  await page.goto('/docs');
  const links = page.locator('nav a[href^="/docs"]');
  const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  for (const path of new Set(hrefs)) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await takePictures(page, 'docs', path.replace('/docs', '').slice(1) || 'start');
  }
});

withStreets.describe('with street tiles', () => {
  withStreets.use({ expectedFaults: [/./] });

  for (const areTilesBlocked of [false, true]) {
    const name = areTilesBlocked ? 'street-tiles-blocked' : 'street-tiles';
    withStreets(`service-area, ${name}`, async ({ page, customer }) => {
      withStreets.slow();
      await openStreetMap(page, customer, { areTilesBlocked });
      await askPoint(page, '37.56, -122.1');
      await takePictures(page, 'service-area', name);
    });
  }
});
