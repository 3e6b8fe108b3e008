import { expect, test } from '../support/fixtures.ts';
import { holdBack } from './network-faults.ts';
import { scrollToMap, signIn } from './steps.ts';

test('navigation: shows a skeleton, then the page', async ({ page, customer }) => {
  await signIn(page, customer);
  const letThrough = await holdBack(page, /\/payout\?_rsc=/);
  await page.getByRole('link', { name: 'Payout', exact: true }).click();
  await expect(page.locator('.page-skeleton')).toBeVisible();
  await expect(page.getByText('Balance due')).toBeHidden();
  letThrough();
  await expect(page.getByRole('heading', { level: 1, name: 'Payout' })).toBeVisible();
  await expect(page.locator('.page-skeleton')).toBeHidden();
  await expect(page).toHaveTitle(/^Payout · /);
});

for (const [title, request] of [
  ['Payout', /\/payout\?_rsc=/],
  // Another document, because it has the card form.
  ['Cards', /\/cards$/],
] as const) {
  test(`navigation: the link to ${title} looks like the current one at once`, async ({ page, customer }) => {
    await signIn(page, customer);
    const link = (name: string) =>
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
    // The browser stays on the page.
    await page.route(request, (route) => route.fulfill({ status: 204 }));
    await link(title).click();
    await expect(link(title)).toHaveCSS('font-weight', '600');
    await expect(link('Overview')).toHaveCSS('font-weight', '400');
  });
}

test('navigation: the account menu closes when a page is chosen in it', async ({ page, customer }) => {
  await signIn(page, customer);
  const opener = page.getByRole('button', { name: /^Account: / });
  const menu = page.locator('#account-menu');
  await opener.click();
  await menu.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await expect(menu).toBeHidden();
  await expect(opener).toBeFocused();
});

test('navigation: an expired session leads to sign-in and back to the requested page', async ({
  page,
  context,
  customer,
}) => {
  await signIn(page, customer);
  // The page is complete before the session ends.
  await scrollToMap(page);
  await context.clearCookies();
  await page.getByRole('link', { name: 'API access', exact: true }).click();
  await expect(page).toHaveURL('/sign-in?next=%2Fapi-access');
  await signIn(page, customer, '/api-access');
  await expect(page.getByRole('heading', { level: 1, name: 'API access' })).toBeVisible();
});

test('API access: the key is masked until revealed and copied in full', async ({
  page,
  context,
  customer,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await signIn(page, customer, '/api-access');
  const key = page.getByRole('region', { name: 'API key' });
  await expect(key.getByText(customer.apiKey)).toBeHidden();
  await key.getByRole('button', { name: 'Copy API key' }).click();
  await expect(page.getByText('API key copied.')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(customer.apiKey);
  await key.getByRole('button', { name: 'Show the API key' }).click();
  await expect(key.getByText(customer.apiKey)).toBeVisible();
  await key.getByRole('button', { name: 'Hide the API key' }).click();
  await expect(key.getByText(customer.apiKey)).toBeHidden();
});
