/**
 * Compares the pages with the pictures in `visual-regression`. After an intended change:
 * `FULL=1 npx playwright test --project=service visual-regression --update-snapshots`, then view the changed pictures.
 */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import { dashboardPages } from '#components/layout/nav-items.ts';
import { sessions } from '#db/schema.ts';
import { quietBrowserArguments } from '#tools/browser.ts';
import { checkout } from '#tools/checkout.ts';
import { addTestCard, expect, serviceTest as test } from '../support/fixtures.ts';
import { normalizedScreenshot } from './normalized-screenshot.ts';
import {
  askPoint,
  askToRemove,
  scrollToMap,
  sendEmptyForm,
  signIn,
  signInToDemo,
  waitForCardFields,
} from './steps.ts';

const clock = pathToFileURL(path.join(checkout, 'e2e', 'support', 'clock-from.ts')).href;

/**
 * A service with its own demo whose clock starts at noon of a fixed day, so that pages look the same on every day. The day
 * is in the future because the database's clock would treat sessions from the past as expired.
 */
test.use({
  settings: {
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${clock}`,
    CLOCK_FROM: '2041-05-16T12:00:00-07:00',
  },
});

const sizes = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 } };

/**
 * `faint`: fewer pixels than a line of 1 px between two rows. `small`: fewer than another digit changes. On another processor, a
 * letter can be a quarter of a pixel off, which changes a pixel by about a quarter of its contrast.
 */
const tolerances = {
  faint: { threshold: 0.05, maxDiffPixels: 30 },
  small: { threshold: 0.3, maxDiffPixels: 1 },
};
/** The map is compared by itself, because all of its lines may be off by a pixel. A missing area is a third of it. */
const mapTolerance = { threshold: 0.05, maxDiffPixelRatio: 0.03 };

const withMap = ['/', '/service-area'];
const withVaryingTexts = ['/api-access', '/profile'];

/** Days according to the database's clock, and the key of the installation. */
const varyingTexts: [RegExp, string][] = [
  [/pk_test_\w+/g, `pk_test_sandbox${'0123456789abcdef'.repeat(3)}`],
  [/[A-Z][a-z]{2},\s[A-Z][a-z]{2}\s\d+/g, 'Mon,\u00a0Nov\u00a015'],
  [/\d+:\d\d [AP]M/g, '6:00 PM'],
  [/[A-Z][a-z]{2} \d+, 20\d\d/g, 'Nov 15, 2026'],
];

// One worker: one service for all.
test.describe.configure({ mode: 'default' });
test.use({ expectedFaults: [/status of 404.*no-such-page/] });

// The pictures are of Chromium. Its headless shell draws letters slightly differently.
const executablePath = process.env.E2E_CHROMIUM || process.env.E2E_BROWSER;
test.use(
  executablePath
    ? { launchOptions: { args: quietBrowserArguments, executablePath } }
    : { channel: 'chromium' },
);

// Caches the font, because a page painted before its font has loaded keeps the fallback font.
test.beforeEach(async ({ page }) => void (await page.goto('/sign-in')));

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [size, viewport] of Object.entries(sizes)) {
    // A phone shows the same colors as a desk, and the same layout in the dark as in the light.
    if ((colorScheme === 'light') !== (size === 'phone') && !process.env.FULL) continue;
    test.describe(`${colorScheme}, ${size}`, () => {
      test.use({ colorScheme, viewport });

      const mapOf = (page: Page) => page.locator('.leaflet-container');
      const pictureOf = (page: Page, replaced: [RegExp, string][] = []) =>
        // The provider's fields use the machine's fonts.
        normalizedScreenshot(page, { hidden: [page.locator('iframe'), mapOf(page)], replaced });
      const fileOf = (name: string) => `${name}-${size}-${colorScheme}.png`;
      const compare = async (page: Page, name: string, replaced?: [RegExp, string][]) => {
        const map = mapOf(page);
        const picture = await pictureOf(page, replaced);
        for (const tolerance of Object.values(tolerances))
          expect.soft(picture).toMatchSnapshot(fileOf(name), tolerance);
        if ((await map.count()) === 0) return;
        const mapPicture = await map.screenshot({ animations: 'disabled' });
        expect.soft(mapPicture).toMatchSnapshot(fileOf(`${name}-map`), mapTolerance);
      };

      test('demo pages', async ({ page, db, service }) => {
        test.slow();
        // The profile page lists them.
        await db.delete(sessions);
        await signInToDemo(page, '/', service.dataDir);
        for (const { path } of dashboardPages) {
          await page.goto(path);
          if (withMap.includes(path)) await scrollToMap(page);
          await page.evaluate(() => scrollTo(0, 0));
          await compare(
            page,
            path.slice(1) || 'overview',
            withVaryingTexts.includes(path) ? varyingTexts : [],
          );
        }
        await page.goto('/service-area');
        await scrollToMap(page);
        await askPoint(page, '37.3000, -121.9000');
        await expect(page.locator('.map-selected')).toBeVisible();
        await compare(page, 'service-area-point');
      });

      test('visual regression: notices a missing badge, a shifted line, and a wrong digit', async ({
        page,
        service,
      }) => {
        test.slow();
        await signInToDemo(page, '/cards', service.dataDir);
        const expectNotice = async (tolerance: keyof typeof tolerances) =>
          expect.soft(await pictureOf(page)).not.toMatchSnapshot(fileOf('cards'), tolerances[tolerance]);
        await compare(page, 'cards');
        const badge = page.getByText('Default', { exact: true });
        await badge.evaluate(({ style }) => (style.visibility = 'hidden'));
        await expectNotice('faint');
        await badge.evaluate(({ style }) => (style.visibility = ''));
        await compare(page, 'cards');
        const line = page.getByText('95112, US').first();
        await line.evaluate(({ style }) => (style.transform = 'translateY(1px)'));
        await expectNotice('faint');
        await line.evaluate(({ style }) => (style.transform = ''));
        await compare(page, 'cards');
        const expiry = page.getByText('05/42').first();
        await expiry.evaluate((element) => (element.textContent = '06/42'));
        await expectNotice('small');
      });

      test('card form and remove dialog', async ({ page, customer, clientOf }) => {
        test.slow();
        await addTestCard(clientOf(customer));
        await signIn(page, customer, '/cards');
        await askToRemove(page);
        await compare(page, 'removal-question');
        await page.keyboard.press('Escape');
        await page.getByRole('link', { name: 'Add a card' }).click();
        await waitForCardFields(page);
        await compare(page, 'card-form');
        await sendEmptyForm(page);
        await compare(page, 'card-form-missing');
      });

      test('empty and public pages', async ({ page, customer }) => {
        await page.goto('/sign-in');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await expect(page.getByText('Enter your API key.')).toBeVisible();
        await compare(page, 'sign-in');
        await page.goto('/no-such-page');
        await compare(page, 'not-found');
        await signIn(page, customer, '/payout');
        await compare(page, 'payout-empty');
      });
    });
  }
}
