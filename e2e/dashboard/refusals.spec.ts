import { sql } from 'drizzle-orm';
import { credentialHeaders, expect, newCustomer, serviceTest as test } from '../support/fixtures.ts';
import { hiddenFieldsOf } from '../support/http.ts';
import { signIn, signInByRequest } from './steps.ts';

const requestsMax = 40;

// One service for both.
test.describe.configure({ mode: 'default' });
test.use({ expectedFaults: [/status of 429/], settings: { LIMIT_REQUESTS_PER_MINUTE: `${requestsMax}` } });

test('quota: pages count with the API, return 429 when it is used up, and signing out still works', {
  tag: '@host',
}, async ({ page, customer }) => {
  const headers = credentialHeaders(customer);
  const api = () => page.request.get('/api/v1/customers/payout', { headers });
  await signIn(page, customer);
  const left = async () => Number(/r=(\d+)/.exec((await api()).headers().ratelimit ?? '')?.[1]);
  // Again if the minute ends meanwhile.
  await expect(async () => {
    const before = await left();
    for (const path of ['/profile', '/profile', '/profile', '/docs/get-the-payout'])
      expect((await page.request.get(path)).status()).toBe(200);
    // The open page can send requests too.
    expect(await left(), 'four pages and this request').toBeLessThanOrEqual(before - 5);
  }).toPass();
  const rotating = await page.context().newPage();
  await rotating.goto('/api-access');
  const useUp = async () => {
    while ((await api()).ok());
  };

  const rotation = await (await page.request.get('/api-access')).text();
  const form = { ...hiddenFieldsOf(rotation), currentSecret: customer.apiSecret };
  await useUp();
  expect((await page.request.post('/api-access', { multipart: form })).status()).toBe(429);
  await rotating.getByLabel('Current API secret').fill(customer.apiSecret);
  await useUp();
  await rotating.getByRole('button', { name: 'Rotate secret' }).click();
  await expect(rotating.getByText('Too many requests.')).toBeVisible();
  await useUp();
  const file = await page.request.get('/payout/transactions.csv');
  expect([file.status(), await file.text()]).toEqual([429, 'Too many requests. Try again later.\n']);
  await page.getByRole('button', { name: customer.name }).click();
  const refused = await page.context().newPage();
  await useUp();
  const response = await refused.goto('/payout');
  expect(response?.status()).toBe(429);
  expect(Number(response?.headers()['retry-after'])).toBeGreaterThan(0);
  expect(response?.headers()['content-security-policy']).toContain("default-src 'none'");
  await expect(refused.getByRole('heading', { name: 'Too many requests' })).toBeVisible();
  // Its stylesheet was applied.
  await expect(refused.locator('body')).toHaveCSS('display', 'grid');
  await expect(refused.getByText(/Reload this page in \d+ seconds?\./)).toBeVisible();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.waitForURL(/\/sign-in/);
  expect((await page.goto('/sign-in'))?.status()).toBe(200);
});

test('busy database: pages and downloads return 503 with Retry-After', { tag: '@host' }, async ({
  request,
  db,
}) => {
  await signInByRequest(request, await newCustomer(db));
  const paths = ['/', '/cards', '/payout/transactions.csv'];
  const responses = await db.transaction(async (tx) => {
    await tx.execute(sql`lock table sessions`);
    return Promise.all(paths.map((path) => request.get(path)));
  });
  const refusals = responses.map((response) => [response.status(), response.headers()['retry-after']]);
  expect(refusals).toEqual(paths.map(() => [503, '1']));
  const texts = await Promise.all(responses.map((response) => response.text()));
  expect(texts).toEqual(
    ['This page didn’t load', 'This page didn’t load', 'We’re busy right now'].map((text) =>
      expect.stringContaining(text),
    ),
  );
  for (const path of paths) await expect(await request.get(path)).toBeOK();
});
