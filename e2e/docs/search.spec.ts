import { axeOf } from '../dashboard/expect-clean-page.ts';
import { expect, test } from '../support/fixtures.ts';

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('API docs search: the server finds sections by words', async ({ page }) => {
    await page.goto('/docs');
    await page.getByRole('combobox', { name: 'Search the docs' }).fill('rotate secret');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/docs\/search\?q=rotate/);
    const results = page.locator('main');
    await results.getByRole('link', { name: 'Authentication: Rotate a secret' }).click();
    await expect(page).toHaveURL(/\/docs\/authentication#rotate-a-secret$/);
    await page.goto('/docs/search?q=zzzz');
    await expect(page.getByText('No results for “zzzz”')).toBeVisible();
  });
});

test('API docs search: opens by keyboard and goes to the selected section', async ({ page }) => {
  await page.goto('/docs/errors');
  const search = page.getByRole('combobox', { name: 'Search the docs' });
  // The shortcut works once the page is interactive.
  await expect(async () => {
    await page.keyboard.press('/');
    await expect(search).toBeFocused({ timeout: 500 });
  }).toPass();
  await search.pressSequentially('rotate secret');
  const option = page.getByRole('option', { name: /^Authentication: Rotate a secret/ });
  await expect(option).toBeVisible();
  await expect(page.getByRole('search').getByRole('status')).toHaveText(/^\d results?$/);
  await page.keyboard.press('ArrowDown');
  await expect(option).toHaveAttribute('aria-selected', 'true');
  const { violations } = await axeOf(page).include('search').analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/docs\/authentication#rotate-a-secret$/);
  await expect(page.getByRole('listbox')).toBeHidden();
});

test('API docs search: the arrow keys scroll a long list of results', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 320 });
  await page.goto('/docs/errors');
  const search = page.getByRole('combobox', { name: 'Search the docs' });
  const options = page.getByRole('option');
  await expect(async () => {
    await search.fill('');
    await search.pressSequentially('card');
    await expect(options).toHaveCount(8, { timeout: 1_000 });
  }).toPass();
  await expect(options.last()).not.toBeInViewport();
  for (let count = 0; count < 8; count += 1) await search.press('ArrowDown');
  await expect(options.last()).toHaveAttribute('aria-selected', 'true');
  await expect(options.last()).toBeInViewport({ ratio: 1 });
  const { violations } = await axeOf(page).include('search').analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  await search.press('ArrowDown');
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  // Typing ends the selection, and ArrowUp starts at the end.
  await search.pressSequentially('s');
  await search.press('Backspace');
  await expect(page.getByRole('option', { selected: true })).toHaveCount(0);
  await search.press('ArrowUp');
  await expect(options.last()).toHaveAttribute('aria-selected', 'true');
});

test('API docs search: says that nothing was found', async ({ page }) => {
  await page.goto('/docs/errors');
  const search = page.getByRole('combobox', { name: 'Search the docs' });
  await expect(async () => {
    await search.fill('');
    await search.pressSequentially('zzzz');
    await expect(page.getByRole('search').getByText('No results')).toBeInViewport({ timeout: 1_000 });
  }).toPass();
});

test('API docs search: / does nothing with shortcuts turned off', async ({ page, baseURL }) => {
  await page.context().addCookies([{ name: 'shortcuts', value: 'off', url: baseURL ?? '' }]);
  await page.goto('/docs/errors');
  const search = page.getByRole('combobox', { name: 'Search the docs' });
  await expect(async () => {
    await page.keyboard.press('Control+k');
    await expect(search).toBeFocused({ timeout: 500 });
  }).toPass();
  await search.blur();
  await page.keyboard.press('/');
  await expect(search).not.toBeFocused();
});
