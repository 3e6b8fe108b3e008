import { tmpdir } from 'node:os';
import { pageScripts } from '../dashboard/network-faults.ts';
import { signIn } from '../dashboard/steps.ts';
import { expect, newCustomer, test } from '../support/fixtures.ts';
import { runSample } from './code-samples.ts';

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('API console: says that it requires JavaScript', { tag: '@thorough' }, async ({ page }) => {
    await page.goto('/docs/get-the-payout');
    await expect(page.locator('#console + div')).toHaveText(
      'The console requires JavaScript. The code samples above send the same request.',
      { useInnerText: true },
    );
    await expect(page.getByRole('form', { name: /^Console/ })).toHaveCount(0);
    await expect(page.locator('main').getByRole('button')).toHaveCount(0);
  });
});

test('API console: calls this service with keys that stay in the page', async ({ page, customer }) => {
  await page.goto('/docs/get-the-payout#console');
  const form = page.getByRole('form', { name: 'Console: getPayout' });
  await form.getByLabel('API key').fill(customer.apiKey);
  await form.getByLabel('API secret').fill(customer.apiSecret);
  // A browser would offer to save a password.
  await expect(page.locator('input[type="password"]')).toHaveCount(0);
  await expect(form.getByLabel('API secret')).toHaveCSS('-webkit-text-security', 'disc');
  await form.getByRole('button', { name: 'Send GET' }).click();
  // A screen reader announces only this.
  const status = form.getByRole('status').filter({ hasText: 'HTTP' });
  await expect(status).toHaveText(/^HTTP 200 in \d+ ms$/);
  await expect(form.getByRole('region', { name: 'Response' })).toContainText('"amount_cents": 0');
  await expect(form.getByText(/x-request-id: [0-9a-f-]{36}/)).toBeVisible();

  await page
    .getByRole('navigation', { name: 'Pages', exact: true })
    .getByRole('link', { name: 'Add a card' })
    .click();
  await expect(page.getByRole('heading', { level: 1, name: 'Add a card' })).toBeVisible();
  await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Console' }).click();
  const adding = page.getByRole('form', { name: 'Console: addCard' });
  await expect(adding.getByLabel('API secret')).toHaveValue(customer.apiSecret);
  await adding.getByRole('button', { name: 'Send POST' }).click();
  await expect(adding.getByText('"brand": "visa"')).toBeVisible();

  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  expect(stored + page.url()).not.toContain(customer.apiSecret);
  await page.goto('/docs/add-a-card#console');
  await page.reload();
  await expect(adding.getByLabel('API secret')).toHaveValue('');
});

test.describe('with invalid credentials', () => {
  test.use({ expectedFaults: [/status of 403/] });

  test("API console: shows the service's error", { tag: '@thorough' }, async ({ page, customer }) => {
    await page.goto('/docs/remove-a-card#console');
    const form = page.getByRole('form', { name: 'Console: removeCard' });
    await form.getByLabel('API key').fill(customer.apiKey);
    await form.getByLabel('API secret').fill('secret_test_wrong');
    await form.getByLabel('uuid').fill('1');
    await form.getByRole('button', { name: 'Send DELETE' }).click();
    await expect(form.getByText('Invalid credentials.')).toBeVisible();
  });
});

test.describe('with a script that does not load', () => {
  test.use({ expectedFaults: [/Failed to load resource/] });

  test('API console: says that it did not load, and loads on a retry', { tag: '@thorough' }, async ({
    page,
  }) => {
    await page.route(pageScripts, async (route) => {
      const response = await route.fetch();
      const body = await response.text();
      await (body.includes('Copy as curl') ? route.abort() : route.fulfill({ response, body }));
    });
    await page.goto('/docs/get-the-payout#console');
    await expect(page.getByText('The console didn’t load.')).toBeVisible();
    await page.unroute(pageScripts);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('form', { name: 'Console: getPayout' })).toBeVisible();
    await expect(page.locator('#console + div')).toBeFocused();
  });
});

test('API console: says at its fields what is missing', { tag: '@thorough' }, async ({ page }) => {
  await page.goto('/docs/remove-a-card#console');
  const form = page.getByRole('form', { name: 'Console: removeCard' });
  await form.getByLabel('uuid').fill('1');
  await form.getByRole('button', { name: 'Send DELETE' }).click();
  await expect(form.getByLabel('API key')).toBeFocused();
  await expect(form.getByLabel('API key')).toHaveAccessibleDescription('Enter an API key.');
  await expect(form.getByLabel('API secret')).toHaveAccessibleDescription('Enter the secret for this key.');
  await expect(form.getByLabel('uuid')).toHaveAccessibleDescription('');
  await expect(form.getByLabel('uuid')).toHaveValue('1');
});

test('API console: says at its field which credential has a character that no header can have', {
  tag: '@thorough',
}, async ({ page }) => {
  await page.goto('/docs/get-the-payout#console');
  const form = page.getByRole('form', { name: 'Console: getPayout' });
  await form.getByLabel('API key').fill('key_test_1');
  await form.getByLabel('API secret').fill('secret_test_…');
  await form.getByRole('button', { name: 'Send GET' }).click();
  await expect(form.getByLabel('API secret')).toBeFocused();
  await expect(form.getByLabel('API secret')).toHaveAccessibleDescription(
    'It contains a character that isn’t in any key or secret.',
  );
  await expect(form.getByLabel('API key')).toHaveAccessibleDescription('');
  await expect(form.getByText('We couldn’t reach the service.')).toHaveCount(0);
});

test('API console: is filled in for a signed-in customer, and copies the request as curl', async ({
  page,
  customer,
}) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = async (text) => void Object.assign(window, { copied: text });
  });
  await signIn(page, customer, '/docs/add-a-card#console');
  const form = page.getByRole('form', { name: 'Console: addCard' });
  await expect(form.getByLabel('API key')).toHaveValue(customer.apiKey);
  await form.getByRole('button', { name: 'Send POST' }).click();
  await expect(form.getByText(/HTTP 200 in \d+ ms/)).toBeVisible();
  await form.getByRole('button', { name: 'Copy as curl' }).click();
  const copied = await page.evaluate(() => (window as { copied?: string }).copied);
  expect(copied).toContain(`-H 'X-AUTH-APIKEY: ${customer.apiKey}'`);
  expect(copied).toContain('-H "X-AUTH-APISECRET: $API_SECRET"');
  expect(copied).toContain('"token": "tok_visa"');
  expect(copied).toContain('-H "Idempotency-Key: $(od ');
  const command = { language: 'sh', code: copied?.replace('curl ', 'curl -s ') ?? '' };
  const printed = await runSample(command, tmpdir(), { API_SECRET: customer.apiSecret });
  expect(JSON.parse(printed)).toMatchObject({ status: true, card: { last4: '4242' } });
});

test('API console: does not use the session with the key of another account', async ({
  page,
  customer,
  db,
}) => {
  const other = await newCustomer(db);
  await signIn(page, customer, '/docs/get-the-customer#console');
  const form = page.getByRole('form', { name: 'Console: getCustomer' });
  await form.getByLabel('API key').fill(other.apiKey);
  const secret = form.getByLabel('API secret');
  await expect(secret).toHaveAttribute('required');
  await form.getByRole('button', { name: 'Send GET' }).click();
  await expect(secret).toBeFocused();
  await expect(form.getByText('HTTP')).toHaveCount(0);
  await secret.fill(other.apiSecret);
  await form.getByRole('button', { name: 'Send GET' }).click();
  await expect(form.getByText(`"username": "${other.username}"`)).toBeVisible();
});

test.describe('with a session of another account', () => {
  test.use({ expectedFaults: [/status of 401/] });

  test('API console: does not act on the account that was signed in to in another tab', async ({
    page,
    clientOf,
    customer,
    db,
  }) => {
    const other = await newCustomer(db);
    await signIn(page, customer, '/docs/add-a-card#console');
    const form = page.getByRole('form', { name: 'Console: addCard' });
    await expect(form.getByLabel('API key')).toHaveValue(customer.apiKey);
    await page.context().clearCookies();
    await signIn(await page.context().newPage(), other);
    await form.getByRole('button', { name: 'Send POST' }).click();
    await expect(form.getByText(/HTTP 401 in \d+ ms/)).toBeVisible();
    expect((await clientOf(other).getCustomer()).cards).toEqual([]);
    await form.getByRole('button', { name: 'Reload page' }).click();
    await expect(form.getByLabel('API key')).toHaveValue(other.apiKey);
    await form.getByRole('button', { name: 'Send POST' }).click();
    await expect(form.getByText(/HTTP 200 in \d+ ms/)).toBeVisible();
    expect((await clientOf(other).getCustomer()).cards).toHaveLength(1);
  });
});

test('API console: shows the curl command if the browser blocks copying', { tag: '@thorough' }, async ({
  page,
}) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('Not allowed.'));
  });
  await page.goto('/docs/get-the-payout#console');
  const form = page.getByRole('form', { name: 'Console: getPayout' });
  await form.getByLabel('API key').fill('key_test_typed');
  await form.getByRole('button', { name: 'Copy as curl' }).click();
  await expect(form.getByText('Select the text and copy it.')).toBeVisible();
  await expect(form.getByText("-H 'X-AUTH-APIKEY: key_test_typed'")).toBeVisible();
});

test.describe('with an unknown live key', () => {
  test.use({ expectedFaults: [/status of 403/] });

  test('API console: asks before it changes a live account', async ({ page }) => {
    await page.goto('/docs/remove-a-card#console');
    const form = page.getByRole('form', { name: 'Console: removeCard' });
    await form.getByLabel('API key').fill('key_live_unknown');
    await form.getByLabel('API secret').fill('none');
    await form.getByLabel('uuid').fill('1');
    await form.getByRole('button', { name: 'Send DELETE' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(form.getByText('HTTP')).toHaveCount(0);
    await form.getByRole('button', { name: 'Send DELETE' }).click();
    await dialog.getByRole('button', { name: 'Send DELETE' }).click();
    await expect(form.getByText(/HTTP 403/)).toBeVisible();
  });
});
