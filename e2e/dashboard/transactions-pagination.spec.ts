import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures.ts';
import { holdBack } from './network-faults.ts';
import { addDeliveries, signIn } from './steps.ts';

/** Holds back the router's requests. @returns a function that releases them */
const holdPageBack = (page: Page, path: RegExp) =>
  holdBack(page, (url) => path.test(url.pathname + url.search) && url.searchParams.has('_rsc'));

const shown = (page: Page) => page.locator('#transactions-page');
const loading = (page: Page) => page.getByRole('status').filter({ hasText: 'Loading…' });

test('transactions pagination: dims the page while loading and scrolls to the top', async ({
  page,
  customer,
  db,
}) => {
  await addDeliveries(db, customer, 60);
  await signIn(page, customer, '/payout');
  const letThrough = await holdPageBack(page, /payout.*after=/);
  const before = await shown(page).boundingBox();
  await page.getByRole('link', { name: 'Older' }).click();
  await expect(loading(page)).toHaveCount(1);
  await expect(shown(page)).toHaveCSS('opacity', '0.6');
  expect((await shown(page).boundingBox())?.height).toBe(before?.height);
  letThrough();
  await expect(page.getByText('N-26', { exact: true })).toBeInViewport();
  await expect(shown(page)).toHaveCSS('opacity', '1');
  await expect(loading(page)).toHaveCount(0);
  await expect(shown(page)).toBeFocused();
});

test('transactions pagination: keyboard focus moves to the new page, also when its link is gone', async ({
  page,
  customer,
  db,
}) => {
  await addDeliveries(db, customer, 30);
  await signIn(page, customer, '/payout');
  const follow = async (name: string, rows: number) => {
    await page.getByRole('link', { name }).focus();
    await page.keyboard.press('Enter');
    await expect(shown(page).locator('tbody').getByRole('row')).toHaveCount(rows);
    await expect(shown(page)).toBeFocused();
    await expect(shown(page)).toHaveAccessibleName(/^Transactions, [A-Z][a-z]{2} \d+, 20\d\d( to |$)/);
    const { y } = (await shown(page).boundingBox()) ?? {};
    expect(y, 'the top of the entries').toBeGreaterThanOrEqual(0);
    expect(y, 'the top of the entries').toBeLessThan(400);
  };
  await follow('Older', 5);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Newer' })).toBeFocused();
  await follow('Newer', 25);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Older' })).toBeFocused();
  await follow('Older', 5);
  await follow('Back to latest', 25);
  await page.getByLabel('Type', { exact: true }).selectOption('Delivery');
  await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter');
  await follow('Clear filter', 25);
});

test('transactions search: sends one request and keeps focus in the field', async ({
  page,
  customer,
  db,
}) => {
  await addDeliveries(db, customer, 60);
  await signIn(page, customer, '/payout');
  const requests: string[] = [];
  page.on('request', (request) => request.url().includes('search=') && requests.push(request.url()));
  const letThrough = await holdPageBack(page, /payout.*search=/);
  const field = page.getByLabel('Description or reference');
  await field.fill('number 7');
  await field.press('Enter');
  const show = page.getByRole('button', { name: 'Filter', exact: true });
  await expect(show).toHaveAttribute('aria-disabled', 'true');
  await expect(loading(page)).toHaveCount(1);
  await expect(shown(page)).toHaveCSS('opacity', '0.6');
  await field.press('Enter');
  letThrough();
  await expect(shown(page).locator('tbody').getByRole('row')).toHaveCount(1);
  await expect(show).not.toHaveAttribute('aria-disabled');
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('number 7');
  expect(requests).toHaveLength(1);
  await page.goBack();
  await expect(field).toHaveValue('');
});

test('transactions search: announces what was found', async ({ page, customer, db }) => {
  await addDeliveries(db, customer, 2);
  await signIn(page, customer, '/payout');
  const field = page.getByLabel('Description or reference');
  for (const text of ['nothing like it', 'nothing like that']) {
    await field.fill(text);
    await field.press('Enter');
    await expect(page).toHaveURL(new RegExp(text.replaceAll(' ', '.')));
    await expect(page.getByRole('status').filter({ hasText: /^No transactions$/ })).toHaveCount(1);
  }
  await field.fill('number 2');
  await field.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: /^Transactions, / })).toHaveCount(1);
  await expect(field).toBeFocused();
});

test('transactions search: keeps what is typed while results load', async ({ page, customer, db }) => {
  await addDeliveries(db, customer, 60);
  await signIn(page, customer, '/payout');
  const letThrough = await holdPageBack(page, /payout.*search=/);
  const field = page.getByLabel('Description or reference');
  await field.fill('number 7');
  await field.press('Enter');
  await expect(loading(page)).toHaveCount(1);
  await field.fill('number 8');
  letThrough();
  await expect(shown(page).locator('tbody').getByRole('row')).toHaveCount(1);
  await expect(field).toHaveValue('number 8');
  await page.getByRole('link', { name: 'Clear filter' }).click();
  await expect(field).toHaveValue('');
  await page.goBack();
  await expect(field).toHaveValue('number 7');
});

test('transactions search: another text that is sent while results load replaces the first', async ({
  page,
  customer,
  db,
}) => {
  await addDeliveries(db, customer, 60);
  await signIn(page, customer, '/payout');
  const letThrough = await holdPageBack(page, /payout.*search=/);
  const field = page.getByLabel('Description or reference');
  await field.fill('number 7');
  await field.press('Enter');
  await expect(loading(page)).toHaveCount(1);
  await field.fill('number 8');
  await field.press('Enter');
  letThrough();
  await expect(page).toHaveURL(/search=number\+8$/);
  await expect(shown(page).locator('tbody').getByRole('row')).toHaveCount(1);
  await expect(shown(page)).toContainText('N-8');
  await expect(field).toHaveValue('number 8');
});

test('navigation: an in-page link shows a skeleton and announces loading', async ({ page, customer }) => {
  await signIn(page, customer, '/payout');
  const letThrough = await holdPageBack(page, /^\/payout\/2/);
  await page.getByRole('link', { name: 'View statement' }).click();
  await expect(page.locator('.page-skeleton')).toBeVisible();
  await expect(loading(page)).toHaveCount(1);
  letThrough();
  await expect(page.getByRole('heading', { level: 1, name: /^Statement/ })).toBeVisible();
  await expect(page.locator('.page-skeleton')).toBeHidden();
});

test.describe('with reduced motion', () => {
  test.use({ reducedMotion: 'reduce' });

  test('API docs navigation: dims the link while loading', async ({ page }) => {
    await page.goto('/docs');
    const link = page
      .getByRole('navigation', { name: 'Pages', exact: true })
      .getByRole('link', { name: 'Errors' });
    const letThrough = await holdPageBack(page, /^\/docs\/errors/);
    await link.click();
    await expect(link).toHaveCSS('opacity', '0.6');
    await expect(loading(page)).toHaveCount(1);
    // Announced once, and not by each link.
    await expect(page.getByRole('navigation').getByRole('status')).toHaveCount(0);
    letThrough();
    await expect(link).toHaveAttribute('aria-current', 'page');
    await expect(link).toHaveCSS('opacity', '1');
  });
});
