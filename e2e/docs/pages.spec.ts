import { docsPath } from '#src/docs/page.ts';
import { docsPages } from '#src/docs/pages.ts';
import { readSettings } from '#src/settings.ts';
import {
  expectCleanLayout,
  expectNoAxeViolations,
  overlappingTexts,
} from '../dashboard/expect-clean-page.ts';
import { expect, test } from '../support/fixtures.ts';
import { fencedBlocks } from './code-samples.ts';

const settings = readSettings({});

/** A dark page differs from the light one, which is checked by all rules, in nothing but colors. */
const rulesInDark = process.env.FULL ? [] : ['color-contrast'];

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('API docs: readable and navigable', async ({ page }) => {
    await page.goto('/docs');
    await page
      .getByRole('navigation', { name: 'Pages', exact: true })
      .getByRole('link', { name: 'Add a card' })
      .click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add a card');
    await expect(page.locator('nav:visible [aria-current=page]')).toHaveText('Add a card');
    await expect(page.getByText('curl -sS "http')).toBeVisible();
    await expect(page.getByText('urllib.request.Request(')).toBeVisible();
    await page.getByRole('link', { name: '424' }).click();
    await expect(page).toHaveURL(/\/docs\/errors#status-424$/);
    await expect(page.getByText('could not be reached or failed. Try again').first()).toBeVisible();
  });
});

for (const url of docsPages(settings).map(({ slug }) => docsPath(slug))) {
  test(`${url}: no accessibility violations in any width or color, and no third-party requests`, async ({
    page,
  }) => {
    const origins = new Set<string>();
    page.on('request', (request) => origins.add(new URL(request.url()).origin));
    await page.goto(url);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectNoAxeViolations(page);
    // The narrowest width at which a table isn't shown as a list.
    await page.setViewportSize({ width: 660, height: 740 });
    expect(await overlappingTexts(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 320, height: 900 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectCleanLayout(page);
    await expectNoAxeViolations(page, { rules: rulesInDark });
    expect([...origins]).toEqual([new URL(page.url()).origin]);
  });
}

test.describe('unknown docs page', () => {
  test.use({ expectedFaults: [/status of 404/] });

  test('shows a message beside the list of pages', async ({ page }) => {
    const response = await page.goto('/docs/nothing');
    expect(response?.status()).toBe(404);
    await expect(page).toHaveTitle(/^Page not found/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found');
    await page
      .getByRole('navigation', { name: 'Pages', exact: true })
      .getByRole('link', { name: 'Add a card' })
      .click();
    await expect(page.getByRole('heading', { level: 1, name: 'Add a card' })).toBeVisible();
  });
});

test.describe('unknown docs page without JavaScript', { tag: '@host' }, () => {
  test.use({ javaScriptEnabled: false, expectedFaults: [/status of 404/] });

  test('shows a message with links', async ({ page }) => {
    await page.goto('/docs/nothing');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found');
    await page.getByRole('link', { name: 'Go to the quickstart' }).click();
    await expect(page).toHaveURL('/docs');
  });
});

test('API docs: every code sample is copied as it is, and has colors', async ({ api, page }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = async (text) => void Object.assign(window, { copied: text });
  });
  const { text: markdown } = await api('GET', '/docs/collect-a-card.md');
  const samples = fencedBlocks(markdown);
  expect(samples.length).toBeGreaterThan(5);
  await page.goto('/docs/collect-a-card');
  for (const { title, code } of samples) {
    const figure = page.locator('figure').filter({ has: page.getByText(title, { exact: true }) });
    // The button works once the page is interactive.
    await expect(async () => {
      await figure.getByRole('button', { name: `Copy “${title}”` }).click();
      expect(await page.evaluate(() => (window as { copied?: string }).copied)).toBe(code);
    }).toPass();
    await expect(figure.locator('code')).toHaveText(code);
  }
  const keyword = page.locator('figure code').getByText('const', { exact: true }).first();
  const colors = await keyword.evaluate((element) =>
    [element, element.closest('code')].map((one) => one && getComputedStyle(one).color),
  );
  expect(new Set(colors).size).toBe(2);
});

test('API docs: the first link skips to the content', async ({ page }) => {
  await page.goto('/docs/idempotency');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

test('API docs: links lead to the sections of a page and to its neighbors', async ({ page }) => {
  await page.goto('/docs/idempotency');
  const neighbors = page.getByRole('navigation', { name: 'Previous and next page' });
  await neighbors.getByRole('link', { name: /^Next:/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Rate limits');
  await neighbors.getByRole('link', { name: 'Previous: Idempotency' }).click();
  await expect(page).toHaveURL(/\/docs\/idempotency$/);
  await page.goto('/docs/authentication');
  const contents = page.getByRole('navigation', { name: 'On this page' });
  await contents.getByRole('link', { name: 'Rotate a secret' }).click();
  await expect(page).toHaveURL(/#rotate-a-secret$/);
});

test('API docs: code tabs leave Alt and arrows to the browser, and know Home and End', async ({ page }) => {
  await page.goto('/docs/get-the-payout');
  const [first, second, last] = [
    page.getByRole('tab', { name: 'curl' }),
    page.getByRole('tab', { name: 'JavaScript' }),
    page.getByRole('tab').last(),
  ];
  await first.press('ArrowRight');
  await expect(second).toBeFocused();
  await second.press('Alt+ArrowRight');
  await expect(second).toBeFocused();
  await second.press('End');
  await expect(last).toBeFocused();
  await last.press('Home');
  await expect(first).toBeFocused();
});

test('API docs: a chosen language stays chosen on other pages and in later visits', async ({ page }) => {
  await page.goto('/docs/get-the-payout');
  await expect(page.getByText('urllib.request.Request(')).toBeHidden();
  await page.getByRole('tab', { name: 'curl' }).press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'JavaScript' })).toBeFocused();
  await page.getByRole('tab', { name: 'Python' }).click();
  await expect(page.getByText('urllib.request.Request(')).toBeVisible();
  await page.goto('/docs/quickstarts');
  await expect(page.getByRole('tab', { name: 'Python' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByText('def call(method, path, body=None):')).toBeVisible();
});
