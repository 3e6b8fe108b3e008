import { newCustomer } from '#tools/testing/factories.ts';
import { expect, test, withDatabase } from '../support/fixtures.ts';
import { startOwnService } from '../support/own-service.ts';
import { submitCredentials } from './sign-in-form.ts';

// The service stops before the browser closes its pages.
test.use({ expectedFaults: [/status of 429|ERR_CONNECTION_REFUSED/] });

test('quota: pages count with the API, return 429 when it is used up, and signing out still works', {
  tag: '@host',
}, async ({ page }) => {
  test.setTimeout(90_000);
  const requestsMax = 40;
  const service = await startOwnService({ LIMIT_REQUESTS_PER_MINUTE: `${requestsMax}` });
  try {
    const customer = await withDatabase(service.dataDir, newCustomer);
    const keys = { 'X-AUTH-APIKEY': customer.apiKey, 'X-AUTH-APISECRET': customer.apiSecret };
    const api = () => page.request.get(`${service.url}/api/v1/customers/payout`, { headers: keys });
    await page.goto(`${service.url}/sign-in`);
    await submitCredentials(page, customer);
    await page.waitForURL(`${service.url}/`);
    const left = async () => Number(/r=(\d+)/.exec((await api()).headers().ratelimit ?? '')?.[1]);
    await page.waitForLoadState('networkidle');
    const before = await left();
    for (let n = 0; n < 3; n += 1) {
      expect((await page.request.get(`${service.url}/profile`)).status()).toBe(200);
    }
    expect((await page.request.get(`${service.url}/docs/get-the-payout`)).status()).toBe(200);
    // The open page can send requests too.
    expect(await left(), 'four pages and this request').toBeLessThanOrEqual(before - 5);
    const rotating = await page.context().newPage();
    await rotating.goto(`${service.url}/api-access`);
    while ((await api()).ok());

    const form = { currentSecret: customer.apiSecret };
    expect((await page.request.post(`${service.url}/api-access`, { multipart: form })).status()).toBe(429);
    await rotating.getByLabel('Current API secret').fill(customer.apiSecret);
    await rotating.getByRole('button', { name: 'Rotate secret' }).click();
    await expect(rotating.getByText('Too many requests.')).toBeVisible();
    const file = await page.request.get(`${service.url}/payout/transactions.csv`);
    expect([file.status(), await file.text()]).toEqual([429, 'Too many requests. Try again later.\n']);
    await page.getByRole('button', { name: customer.name }).click();
    const refused = await page.context().newPage();
    const response = await refused.goto(`${service.url}/payout`);
    expect(response?.status()).toBe(429);
    expect(Number(response?.headers()['retry-after'])).toBeGreaterThan(0);
    expect(response?.headers()['content-security-policy']).toContain("default-src 'none'");
    await expect(refused.getByRole('heading', { name: 'Too many requests' })).toBeVisible();
    await expect(refused.getByText(/Reload this page in \d+ seconds?\./)).toBeVisible();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL(/\/sign-in/);
    expect((await page.goto(`${service.url}/sign-in`))?.status()).toBe(200);
  } finally {
    await service.stop();
  }
});
