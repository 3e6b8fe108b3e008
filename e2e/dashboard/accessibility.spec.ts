import type { Page } from '@playwright/test';
import { dashboardPages } from '#components/layout/nav-items.ts';
import { expect, newEntry, test } from '../support/fixtures.ts';
import { expectCleanPage, overlappingTexts } from './expect-clean-page.ts';
import {
  addCardByApi,
  askToRemove,
  fillCard,
  sendEmptyForm,
  signIn,
  testCards,
  waitForCardFields,
} from './steps.ts';

const signedIn = dashboardPages.map(({ path }) => path);
const open = ['/sign-in', '/no-such-page', '/docs/no-such-page'];

test.use({ expectedFaults: [/status of 404.*no-such-page/] });

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [320, 1280]) {
    test.describe(`${colorScheme}, ${width} px`, () => {
      test.use({ colorScheme, viewport: { width, height: 900 } });

      test('signed-in pages', async ({ page, customer, api, db }) => {
        test.slow();
        await newEntry(db, customer, { amountCents: 128_450n });
        for (const token of ['tok_visa', 'tok_mastercard']) await addCardByApi(api, customer, token);
        await signIn(page, customer);
        for (const path of signedIn) await expectCleanPageAt(page, path);
      });

      test('public pages', async ({ page }) => {
        for (const path of open) await expectCleanPageAt(page, path);
      });

      test('API docs', async ({ page }) => {
        test.slow();
        await expectCleanPageAt(page, '/docs');
        // The docs specs run axe on every page in light colors.
        if (colorScheme === 'light' || width !== 320) return;
        const links = page.locator('nav a[href^="/docs/"]');
        const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
        const paths = new Set(hrefs);
        expect(paths.size).toBeGreaterThanOrEqual(12);
        for (const path of paths) await expectCleanPageAt(page, path);
      });

      test('card form with errors, remove dialog, account menu, and toast', async ({
        page,
        customer,
        api,
      }) => {
        test.slow();
        await addCardByApi(api, customer);
        await signIn(page, customer, '/cards');
        await page.getByRole('button', { name: 'Add a card' }).click();
        await waitForCardFields(page);
        await expectCleanPage(page);
        await sendEmptyForm(page);
        await expectCleanPage(page);
        await fillCard(page, testCards.declined);
        await page.getByRole('button', { name: 'Add card' }).click();
        await expect(page.getByText(/Your bank declined/)).toBeVisible();
        // Without axe, which takes the transparent frames of the fields for white.
        expect(await overlappingTexts(page), 'texts that lie over one another').toEqual([]);
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('button', { name: /^Account: / }).click();
        await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
        await expectCleanPage(page, '#account-menu');
        await page.keyboard.press('Escape');
        await askToRemove(page);
        await expectCleanPage(page, '[role=alertdialog]');
        await page.getByRole('button', { name: 'Remove card' }).click();
        await expect(page.getByText('Visa ending in 4242 was removed.')).toBeVisible();
        const besideToasts = 'nav, main, body > [role=status]';
        expect(await overlappingTexts(page, besideToasts), 'texts that lie over one another').toEqual([]);
      });
    });
  }
}

test.describe('prefers-reduced-motion', () => {
  test.use({ reducedMotion: 'reduce' });

  test('no animation is longer than 1 ms', async ({ page, customer, api }) => {
    await addCardByApi(api, customer);
    await signIn(page, customer, '/cards');
    await page.getByRole('button', { name: 'Add a card' }).click();
    const longestMs = await page.evaluate(() =>
      Math.max(
        ...[...document.querySelectorAll('*')].flatMap((element) => {
          const { animationDuration, transitionDuration } = getComputedStyle(element);
          return [animationDuration, transitionDuration].map((text) => Number.parseFloat(text) * 1000);
        }),
      ),
    );
    expect(longestMs).toBeLessThanOrEqual(1);
  });
});

test.describe('at 200 % zoom', () => {
  // A window of 1280 px zoomed to 200 %.
  test.use({ viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 });

  test('all pages are reachable without horizontal scrolling', async ({ page, customer }) => {
    await signIn(page, customer);
    for (const path of signedIn) await expectCleanPageAt(page, path);
    for (const name of ['Overview', 'Payout', 'Cards', 'Service area', 'API access']) {
      await expect(page.getByRole('link', { name, exact: true })).toBeInViewport();
    }
  });
});

async function expectCleanPageAt(page: Page, path: string): Promise<void> {
  await test.step(path, async () => {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    await expectCleanPage(page);
  });
}
