import { expect, serviceTest } from '../support/fixtures.ts';
import { startServer } from '../support/http.ts';
import { holdBack } from './network-faults.ts';
import { scrollToMap, signIn } from './steps.ts';

const addresses = [
  { display_name: '1 Main Street, Testville', lat: '37.56', lon: '-122.1' },
  { display_name: '1 Main Street, Elsewhere', lat: '40', lon: '-100' },
];

/** A service with a geocoder that knows two addresses for `main`, one for `main 1`, and fails for `fail`. */
const test = serviceTest.extend({
  settings: [
    async ({ browserName: _browserName }, use) => {
      const geocoder = await startServer((request, response) => {
        const query = new URL(request.url ?? '', 'http://localhost').searchParams.get('q');
        const found = { main: addresses, 'main 1': addresses.slice(0, 1) }[query ?? ''] ?? [];
        response.writeHead(query === 'fail' ? 500 : 200).end(JSON.stringify(found));
      });
      await use({ DATA_DIR: process.env.E2E_DATA_DIR ?? '', GEOCODER_URL: `${geocoder.url}/search` });
      geocoder.close();
    },
    { scope: 'worker' },
  ],
});

// The browser reports a failed search in its console.
test.use({ expectedFaults: [/ERR_INTERNET_DISCONNECTED|status of (401|502).*\/service-area\/addresses/] });
// One worker: one service for all.
test.describe.configure({ mode: 'default' });

test.beforeEach(({ page, customer }) => signIn(page, customer, '/service-area'));

test('address search: a late result does not replace the point that was chosen since', async ({ page }) => {
  const field = page.getByLabel('Address or coordinates');
  await scrollToMap(page);
  for (const address of ['main 1', 'main', 'nowhere', 'fail']) {
    const found = page.waitForResponse('**/service-area/addresses');
    const release = await holdBack(page, '**/service-area/addresses');
    await field.fill(address);
    await field.press('Enter');
    await page.locator('.leaflet-container').click();
    await expect(page.getByText(/^37\.\d+, -12\d\.\d+ is/)).toBeVisible();
    const chosen = await field.inputValue();
    release();
    await (await found).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    await expect(page.getByText(`${chosen} is`)).toBeVisible();
    await expect(field).toHaveValue(chosen);
    await expect(page.getByRole('button', { name: 'Check', exact: true })).toBeEnabled();
    await expect(page.getByText(/Choose an address|No address matches|isn’t working/)).toBeHidden();
  }
});

test('address search: an address that was found can be chosen offline', async ({ page, context }) => {
  const field = page.getByLabel('Address or coordinates');
  await field.fill('main');
  await field.press('Enter');
  const found = page.getByRole('link', { name: '1 Main Street, Testville' });
  await expect(found).toBeVisible();
  await context.setOffline(true);
  await found.click();
  await expect(page.getByText(/^1 Main Street, Testville is/)).toBeVisible();
  await context.setOffline(false);
});

test('address search: a late result does not replace what was typed since', async ({ page }) => {
  const field = page.getByLabel('Address or coordinates');
  const found = page.waitForResponse('**/service-area/addresses');
  const release = await holdBack(page, '**/service-area/addresses');
  await field.fill('main 1');
  await field.press('Enter');
  await expect(page.getByText('Checking…')).toBeVisible();
  await field.fill('main 10');
  release();
  await (await found).finished();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await expect(field).toHaveValue('main 10');
  await expect(page.getByText(/^1 Main Street, Testville is/)).toBeHidden();
  await expect(page.getByRole('button', { name: 'Check', exact: true })).toBeEnabled();
});

test('address search: prices an address, and asks which one if several match', async ({ page }) => {
  const field = page.getByLabel('Address or coordinates');
  const search = async (text: string) => {
    await field.fill(text);
    await field.press('Enter');
  };
  await search('main 1');
  await expect(page.getByText(/^1 Main Street, Testville is \d+\.\d miles from the center of/)).toBeVisible();
  await expect(page.getByText('A delivery there costs $11.24.')).toBeVisible();
  await expect(page.getByText(/^Base price \$\d+\.\d\d \+ \$\d+\.\d\d for /)).toBeVisible();
  await expect(page.locator('.map-selected')).toBeVisible();

  // In a region that was there before: screen readers don't announce one that appears with its text.
  const statuses = page.getByRole('main').getByRole('status');
  const before = await statuses.count();
  await search('main');
  await expect(page.getByText('Choose an address:')).toBeVisible();
  expect(await statuses.count()).toBe(before);
  await page.getByRole('link', { name: '1 Main Street, Elsewhere' }).click();
  await expect(page.getByText('Outside the service area')).toBeVisible();
  await expect(page.getByText('Choose an address:')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Check', exact: true })).toBeFocused();

  await field.fill('nowhere');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await expect(field).toHaveAccessibleDescription(/No address matches\./);
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('nowhere');
  await search('fail');
  await expect(page.getByText(/^The address search isn’t working right now\./)).toBeVisible();
  await expect(field).toHaveValue('fail');
  await search('37.56, -122.1');
  await expect(page.getByText('Inside the service area')).toBeVisible();
  await expect(page.getByText(/isn’t working/)).toBeHidden();
});

test('address search: says that it is offline, or that the session has ended, and keeps the address', async ({
  page,
  context,
  customer,
}) => {
  const field = page.getByLabel('Address or coordinates');
  const alert = page.getByRole('alert').filter({ hasText: /./ });
  await field.fill('main 1');
  await context.setOffline(true);
  await field.press('Enter');
  await expect(alert).toHaveText(
    'We couldn’t reach the service.Check your connection. We didn’t search for this address. Try again in a minute.',
  );
  await context.setOffline(false);
  await context.clearCookies();
  await field.press('Enter');
  await expect(alert).toHaveText(
    'You were signed out.We didn’t search for this address. Sign in again in a new tab; this page stays as it is.',
  );
  await expect(field).toHaveValue('main 1');
  const [again] = await Promise.all([
    context.waitForEvent('page'),
    alert.getByRole('link', { name: 'Sign in again' }).click(),
  ]);
  await signIn(again, customer);
  await field.press('Enter');
  await expect(page.getByText('Inside the service area')).toBeVisible();
  await expect(alert).toHaveCount(0);
});

test('address search: returns 401 to the page of another account', async ({ page, customer, baseURL }) => {
  const statusWith = async (customerId: number) => {
    const headers = { origin: String(baseURL), 'X-Session-Customer': String(customerId) };
    return (
      await page.request.post('/service-area/addresses', { headers, data: { address: 'main' } })
    ).status();
  };
  expect([await statusWith(customer.id), await statusWith(customer.id + 1)]).toEqual([200, 401]);
});

test('address search: returns 403 without proof that our page sent it', async ({ page, baseURL }) => {
  const statusWith = async (headers: Record<string, string>) =>
    (await page.request.post('/service-area/addresses', { headers, data: { address: 'main' } })).status();
  expect(await statusWith({})).toBe(403);
  expect(await statusWith({ origin: 'https://evil.example' })).toBe(403);
  expect(await statusWith({ origin: String(baseURL) })).toBe(200);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('address search: works by URL', async ({ page }) => {
    const field = page.getByLabel('Address or coordinates');
    await field.fill('main');
    await field.press('Enter');
    await page.getByRole('link', { name: '1 Main Street, Testville' }).click();
    await expect(page).toHaveURL('/service-area?point=37.5600%2C%20-122.1000');
    await expect(page.getByText('Inside the service area')).toBeVisible();
    await page.goto('/service-area?point=fail');
    await expect(page.getByText(/^The address search isn’t working right now\./)).toBeVisible();
  });
});
