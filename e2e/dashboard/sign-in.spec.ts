import { eq } from 'drizzle-orm';
import { dashboardPages } from '#components/layout/nav-items.ts';
import { customers } from '#db/schema.ts';
import { expect, newCustomer, test } from '../support/fixtures.ts';
import { signInByForm, signOut, submitCredentials } from './steps.ts';

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('sign-in: signs in, shows the overview, and signs out', async ({ page, customer }) => {
    await signInByForm(page, customer);
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
    await expect(page.getByText('$0.00', { exact: true })).toBeVisible();
    await expect(page.getByRole('img', { name: 'Map of the service area around Testville' })).toBeVisible();
    await signOut(page);
  });

  test('sign-in: has no button that needs JavaScript', async ({ page, customer }) => {
    await signInByForm(page, customer, '/api-access');
    await expect(
      page.getByText('Turn on JavaScript to show or copy the key.', { exact: true }),
    ).toBeVisible();
    await expect(page.getByRole('button', { name: /^(Show|Copy) / })).toHaveCount(0);
  });

  test('sign-in: shows both error messages, keeps the key, and does not return the secret', async ({
    page,
    customer,
  }) => {
    await page.goto('/sign-in');
    await page.getByLabel('API key').fill('key_test_unknown');
    await page.getByLabel('API secret', { exact: true }).fill('secret_test_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByText('We don’t recognize this API key.')).toBeVisible();
    await expect(page.getByLabel('API key')).toHaveValue('key_test_unknown');
    expect(await page.content()).not.toContain('secret_test_wrong');

    await page.getByLabel('API key').fill(customer.apiKey);
    await page.getByLabel('API secret', { exact: true }).fill('secret_test_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByText('This API secret doesn’t match this API key.')).toBeVisible();
    expect(await page.content()).not.toContain('secret_test_wrong');
  });
});

const unknownKey = 'key_test_unknown';

test('sign-in: shows errors at their fields, focuses the first one, and keeps what was typed', async ({
  page,
}) => {
  await page.goto('/sign-in');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Enter your API key.')).toBeVisible();
  await expect(page.getByText('Enter your API secret.')).toBeVisible();
  const problem = page.getByRole('alert').filter({ hasText: 'Enter your API key and secret.' });
  const [key, secret] = [page.getByLabel('API key'), page.getByLabel('API secret', { exact: true })];
  await expect(key).toBeFocused();
  const contact = problem.getByRole('link', { name: 'support@example.com' });
  await expect(contact).toHaveAttribute('href', 'mailto:support@example.com');
  await secret.fill('secret_test_typed');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Enter your API secret.')).toBeHidden();
  await expect(key).toBeFocused();
  await expect(secret).toHaveValue('secret_test_typed');
  await key.fill(unknownKey);
  await secret.fill('');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(secret).toBeFocused();
  await expect(secret).toHaveAccessibleDescription(/Enter your API secret\./);
  await expect(key).toHaveValue(unknownKey);
});

test.describe('without a response', () => {
  test.use({ expectedFaults: [/Failed to load resource/] });

  test('sign-in: keeps what was typed', async ({ page }) => {
    await page.goto('/sign-in');
    const [key, secret] = [page.getByLabel('API key'), page.getByLabel('API secret', { exact: true })];
    await key.fill(unknownKey);
    await secret.fill('secret_test_typed');
    await page.route('/sign-in', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign in' }).click();
    const problem = page.getByRole('alert').filter({ hasText: 'Sign-in isn’t available right now.' });
    await expect(problem).toBeFocused();
    await expect(key).toHaveValue(unknownKey);
    await expect(secret).toHaveValue('secret_test_typed');
    await page.unroute('/sign-in');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByText('We don’t recognize this API key.')).toBeVisible();
  });
});

test('sign-in: reports text that is too long for a key or a secret', async ({ page, customer }) => {
  await page.goto('/sign-in');
  const [key, secret] = [page.getByLabel('API key'), page.getByLabel('API secret', { exact: true })];
  await key.fill('k'.repeat(20_000));
  await secret.fill('s'.repeat(20_000));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(key).toHaveAccessibleDescription(/Enter your account’s API key\./);
  await key.fill(customer.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(secret).toHaveAccessibleDescription(/Enter the secret for this key\./);
});

test('sign-in: masks the secret in a field that a browser does not take for a password', async ({ page }) => {
  await page.goto('/sign-in');
  await expect(page.locator('input[type="password"]')).toHaveCount(0);
  const secret = page.getByLabel('API secret', { exact: true });
  for (const field of [secret, page.getByLabel('API key')])
    await expect(field).toHaveAttribute('autocomplete', 'off');
  await expect(secret).toHaveCSS('-webkit-text-security', 'disc');
  await page.getByRole('button', { name: 'Show the secret' }).click();
  await expect(secret).toHaveCSS('-webkit-text-security', 'none');
  await page.getByRole('button', { name: 'Hide the secret' }).click();
  await expect(secret).toHaveCSS('-webkit-text-security', 'disc');
});

test('sign-in: reports a disabled account and ends its session', async ({ page, db, customer }) => {
  await signInByForm(page, customer, '/cards');
  await db.update(customers).set({ status: 'Suspended' }).where(eq(customers.id, customer.id));
  await page.goto('/profile');
  await expect(page).toHaveURL('/sign-in?next=%2Fprofile');
  await page.getByLabel('API key').fill(customer.apiKey);
  await page.getByLabel('API secret', { exact: true }).fill(customer.apiSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Your account is disabled.')).toBeVisible();
});

const [overview = '/', ...otherPages] = dashboardPages.map(({ path }) => path);
for (const paths of [[overview], otherPages]) {
  const tag = paths === otherPages ? '@thorough' : [];
  test(`${paths.join(', ')}: redirects to sign-in and back without a session`, { tag }, async ({
    page,
    customer,
    request,
  }) => {
    for (const path of paths) {
      await test.step(path, async () => {
        const response = await request.get(path, { maxRedirects: 0 });
        expect(response.status()).toBe(307);
        await page.context().clearCookies();
        await page.goto(path);
        await expect(page).toHaveURL(path === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(path)}`);
        await submitCredentials(page, customer);
        await page.waitForURL((url) => url.pathname === path);
        await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
      });
    }
  });
}

for (const { path } of dashboardPages) {
  test(`${path}: returns no RSC data without a session`, async ({ request, customer }) => {
    const response = await request.get(path, { headers: { RSC: '1' }, maxRedirects: 0 });
    expect(await response.text()).not.toContain(customer.apiKey);
    expect(response.status()).toBe(307);
  });
}

test('sign-in: does not redirect to another site or to the API', async ({ page, customer }) => {
  for (const next of ['//elsewhere.example', '/api/schedule/v1/customers/detail']) {
    await test.step(next, async () => {
      // The last page may still load parts that need its session.
      await page.goto('about:blank');
      await page.context().clearCookies();
      await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
      await submitCredentials(page, customer);
      await page.waitForURL('/');
    });
  }
});

test('isolation: customers see only their own data', async ({ browser, db, customer }) => {
  const other = await newCustomer(db);
  for (const one of [customer, other]) {
    const page = await (await browser.newContext()).newPage();
    await signInByForm(page, one, '/profile');
    await expect(page.getByText(one.username, { exact: true })).toBeVisible();
    await page.context().close();
  }
});

test('sign-in: too many failed attempts show how long to wait', async ({ page, customer, api }) => {
  const wrong = { apiKey: customer.apiKey, apiSecret: 'secret_test_wrong' };
  for (let guess = 0; guess < 31; guess++) await api('GET', '/schedule/v1/customers/detail', { as: wrong });
  await page.goto('/sign-in');
  await page.getByLabel('API key').fill(customer.apiKey);
  await page.getByLabel('API secret', { exact: true }).fill('secret_test_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Too many failed sign-in attempts.')).toBeVisible();
  await expect(page.getByText(/^Try again in \d+ (seconds|minutes)\.$/)).toBeVisible();
});
