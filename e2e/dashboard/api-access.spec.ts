import { sql } from 'drizzle-orm';
import { apiRequests } from '#db/schema.ts';
import { expect, requestLogLines, test } from '../support/fixtures.ts';
import { hiddenFieldsOf } from '../support/http.ts';
import { signIn, signInByRequest } from './steps.ts';

test('API access: explains how to copy by hand when the clipboard is blocked', { tag: '@thorough' }, async ({
  page,
  customer,
}) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('Not allowed.'));
  });
  await signIn(page, customer, '/api-access');
  const key = page.getByRole('region', { name: 'API key' });
  await key.getByRole('button', { name: 'Copy API key' }).click();
  await expect(key.getByRole('status')).toHaveText(
    'Your browser blocked copying. Show the API key, then select the text and copy it.',
  );
  await key.getByRole('button', { name: 'Show the API key' }).click();
  await expect(key.getByRole('status')).toHaveText(
    'Your browser blocked copying. Select the text and copy it.',
  );
});

test('API access: copies the publishable key of the collect-a-card guide', { tag: '@thorough' }, async ({
  api,
  page,
  customer,
}) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = async (text) => void Object.assign(window, { copied: text });
  });
  await signIn(page, customer, '/api-access');
  const panel = page.getByRole('region', { name: 'Publishable key' });
  const key = await panel.getByText(/^pk_test_\w+$/).innerText();
  await panel.getByRole('button', { name: 'Copy publishable key' }).click();
  expect(await page.evaluate(() => (window as { copied?: string }).copied)).toBe(key);
  const { text } = await api('GET', '/docs/collect-a-card.md');
  expect(text).toContain(`Stripe('${key}')`);
});

test('API access: lists the latest requests with an API key', async ({ api, page, customer }) => {
  const { headers } = await api('GET', '/schedule/v1/customers/detail', { as: customer });
  await signIn(page, customer, '/api-access');
  const row = page.getByRole('region', { name: 'Requests', exact: true }).getByRole('row').nth(1);
  // Stored within a second after the response.
  await expect(async () => {
    await page.reload();
    await expect(row).toContainText('getCustomer', { timeout: 1_000 });
  }).toPass();
  await expect(row).toContainText(headers['x-request-id'] ?? 'none');
  await expect(row).toContainText(/\d:\d\d:\d\d [AP]M/);
  await expect(row.getByRole('cell').last()).toHaveText('200');
  await expect(page.getByRole('main').getByText(customer.apiKey)).toHaveCount(0);
});

test('API access: a page of requests that have been deleted since leads back to the latest', async ({
  request,
  customer,
}) => {
  await signInByRequest(request, customer);
  const text = await (await request.get('/api-access?after=1')).text();
  expect(text).toContain('No requests on this page');
  expect(text).toContain('Back to latest');
});

// A page whose scripts have not loaded yet has links too.
for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('API access: the focus moves to the next page of requests', { tag: '@thorough' }, async ({
      page,
      customer,
      db,
    }) => {
      await db.insert(apiRequests).values(
        Array.from({ length: 21 }, (_, index) => ({
          customerId: customer.id,
          at: new Date(),
          operation: 'getCustomer',
          status: 200,
          elapsedMs: 5,
          requestId: `request-${index}`,
        })),
      );
      await signIn(page, customer, '/api-access');
      const requests = page.getByRole('region', { name: / requests$/ });
      for (const [name, rows] of [
        ['Older', 1],
        ['Back to latest', 20],
      ] as const) {
        await page.getByRole('link', { name }).click();
        await expect(requests.locator('tbody').getByRole('row')).toHaveCount(rows);
        await expect(requests).toBeFocused();
      }
    });
  });
}

test('API access: rotates the secret, shows the new one once, and refuses a wrong one', async ({
  api,
  page,
  customer,
}) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = async (text) => void Object.assign(window, { copied: text });
  });
  await signIn(page, customer, '/api-access');
  const panel = page.getByRole('region', { name: 'API secret' });
  const field = panel.getByLabel('Current API secret');
  const rotate = panel.getByRole('button', { name: 'Rotate secret' });
  await rotate.click();
  await expect(field).toHaveAccessibleDescription(/Enter your API secret\./);
  await expect(field).toBeFocused();
  await field.fill(`${customer.apiSecret}x`);
  await rotate.click();
  await expect(field).toHaveAccessibleDescription(/This isn’t your API secret\./);
  await expect(field).toBeFocused();
  await expect(field).toHaveValue(`${customer.apiSecret}x`);
  await field.fill(customer.apiSecret);
  await rotate.click();
  await expect(panel.getByRole('status').first()).toContainText('Save it now.');
  await expect(field).toHaveValue('');
  const apiSecret = await panel.getByText(/^secret_test_\w+$/).innerText();
  await panel.getByRole('button', { name: 'Copy API secret' }).click();
  expect(await page.evaluate(() => (window as { copied?: string }).copied)).toBe(apiSecret);
  await expect(panel).toContainText('Previous secret, works until');
  await rotate.click();
  await expect(field).toHaveAccessibleDescription(/Enter your API secret\./);
  await expect(panel.getByText(apiSecret)).toBeVisible();
  await field.fill('secret_test_wrong');
  await rotate.click();
  await expect(field).toHaveAccessibleDescription(/This isn’t your API secret\./);
  await expect(field).toHaveValue('secret_test_wrong');
  await expect(panel.getByText('Save it now.')).toBeVisible();
  await expect(panel.getByText(apiSecret)).toBeVisible();
  const payout = '/api/schedule/v1/customers/payout';
  expect((await api('GET', payout, { as: { ...customer, apiSecret } })).status).toBe(200);
  expect((await api('GET', payout, { as: customer })).status).toBe(200);
  await page.reload();
  await expect(panel).toContainText('Previous secret, works until');
  await expect(page.locator('body')).not.toContainText(apiSecret);
});

test('API access: after the session has ended, rotates the secret once signed in again', async ({
  page,
  context,
  customer,
}) => {
  await signIn(page, customer, '/api-access');
  await page.getByLabel('Current API secret').fill(customer.apiSecret);
  await context.clearCookies();
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'You were signed out.' })).toHaveText(
    'You were signed out.Your secret wasn’t rotated. Sign in again in a new tab; this page stays as it is.',
  );
  const [again] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Sign in again' }).click(),
  ]);
  await signIn(again, customer);
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await expect(page.getByText('This is your new API secret.')).toBeVisible();
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('API access: does not mention buttons that need JavaScript', { tag: '@thorough' }, async ({
    page,
    customer,
  }) => {
    await signIn(page, customer, '/api-access');
    const lines = page.getByRole('region', { name: 'Quickstart' });
    await expect(lines.getByRole('paragraph').first()).toHaveText(
      'Replace the masked key with your API key. In curl, replace YOUR_API_SECRET with your secret. The other samples read it from the environment variable API_SECRET. Never ship your secret in a web page or app.',
      { useInnerText: true },
    );
    await expect(page.locator('main').getByRole('button')).toHaveText(['Rotate secret'], {
      useInnerText: true,
    });
  });

  test('API access: rotates the secret', async ({ api, page, customer }) => {
    await signIn(page, customer, '/api-access');
    await page.getByLabel('Current API secret').fill('secret_test_wrong');
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await expect(page.getByText('This isn’t your API secret.')).toBeVisible();
    await page.getByLabel('Current API secret').fill(customer.apiSecret);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    const apiSecret = await page.getByText(/^secret_test_\w+$/).innerText();
    const as = { ...customer, apiSecret };
    // Sends the form again.
    await page.reload();
    await expect(page.getByText('Your secret changed after you opened this page.')).toBeVisible();
    expect((await api('GET', '/api/schedule/v1/customers/payout', { as })).status).toBe(200);
  });
});

test.describe('without a response', () => {
  test.use({ expectedFaults: [/Failed to load resource/] });

  test('API access: keeps the form and what was typed', async ({ page, customer }) => {
    await signIn(page, customer, '/api-access');
    const field = page.getByLabel('Current API secret');
    await field.fill(customer.apiSecret);
    await page.route('/api-access', (route) => route.abort());
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await expect(page.getByText('We couldn’t confirm that your secret was rotated.')).toBeVisible();
    await expect(field).toHaveValue(customer.apiSecret);
    await page.unroute('/api-access');
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await expect(page.getByText('Save it now.')).toBeVisible();
  });

  test('API access: after a rotation whose response was lost, keeps what was typed and rotates again', async ({
    page,
    customer,
  }) => {
    await signIn(page, customer, '/api-access');
    const field = page.getByLabel('Current API secret');
    const rotate = page.getByRole('button', { name: 'Rotate secret' });
    await field.fill(customer.apiSecret);
    await page.route('/api-access', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await rotate.click();
    await expect(page.getByText('We couldn’t confirm that your secret was rotated.')).toBeVisible();
    await expect(page.getByText(/^If it was, your current secret stops working in 24 hours\./)).toBeVisible();
    await expect(field).toHaveValue(customer.apiSecret);
    await page.unroute('/api-access');
    await rotate.click();
    await expect(page.getByText('Your secret changed after you opened this page.')).toBeVisible();
    await expect(field).toHaveValue(customer.apiSecret);
    await rotate.click();
    await expect(page.getByText('Save it now.')).toBeVisible();
  });
});

test('API access: logs a rotation whose outcome is unknown', { tag: '@host' }, async ({
  page,
  customer,
  db,
}) => {
  await signIn(page, customer, '/api-access');
  await page.getByLabel('Current API secret').fill(customer.apiSecret);
  const posted = page.waitForResponse((response) => response.request().method() === 'POST');
  await db.transaction(async (tx) => {
    // The rotation waits for the row until its statement times out.
    await tx.execute(sql`SELECT 1 FROM customers WHERE id = ${customer.id} FOR NO KEY UPDATE`);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await expect(page.getByText('We couldn’t confirm that your secret was rotated.')).toBeVisible({
      timeout: 30_000,
    });
  });
  const lines = await requestLogLines((await posted).headers()['x-request-id']);
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'warn', msg: 'A secret could not be rotated.' }),
  );
  expect(JSON.stringify(lines)).not.toContain(customer.apiSecret);
});

test('API access: refuses the form without proof that a page of ours sent it', async ({
  request,
  customer,
}) => {
  await signInByRequest(request, customer);
  const fields = hiddenFieldsOf(await (await request.get('/api-access')).text());
  const multipart = { ...fields, apiSecret: customer.apiSecret };
  const post = async (headers: Record<string, string>) =>
    (await request.post('/api-access', { multipart, headers })).text();
  expect(await post({})).toContain('We couldn’t verify that request.');
  expect(await post({ 'Sec-Fetch-Site': 'same-origin' })).toContain('Save it now.');
  // Of a browser that hides its origin.
  const hidden = await post({ 'Sec-Fetch-Site': 'same-origin', Origin: 'null' });
  expect(hidden).toContain('Your secret changed after you opened this page.');
});
