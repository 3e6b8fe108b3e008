import { readFileSync } from 'node:fs';
import AxeBuilder from '@axe-core/playwright';
import { expect } from '@playwright/test';
import { SCRIPT_PATH } from '#packages/stripe-sandbox/index.ts';
import {
  fillCard,
  frameOf,
  inputOf,
  KEYS,
  openForm,
  pageEvents,
  startPage,
  submit,
  test,
} from './test-sandbox.ts';

test.beforeEach(async ({ page, sandbox }) => openForm(page, sandbox.pageOrigin));

test('createToken creates a token from three frames', async ({ page, sandbox }) => {
  await fillCard(page, '4242424242424242');
  const { token } = await submit(page);
  expect(token).toMatchObject({
    object: 'token',
    type: 'card',
    used: false,
    card: {
      brand: 'Visa',
      last4: '4242',
      exp_month: 12,
      exp_year: 2064,
      name: 'Ada Tester',
      address_zip: '94107',
      cvc_check: 'unchecked',
    },
  });
  const response = await fetch(`${sandbox.origin}/v1/tokens/${token?.id}`, {
    headers: { Authorization: `Bearer ${KEYS.secretKey}` },
  });
  expect(await response.json()).toEqual(token);
});

test('the form works under a strict Content-Security-Policy', async ({ page }) => {
  const violations = (await pageEvents(page)).filter(({ name }) => name === 'violation');
  expect(violations).toEqual([]);
  expect(await page.locator('iframe').count()).toBe(3);
  expect(await page.evaluate(() => (window as { Stripe?: { version?: string } }).Stripe?.version)).toBe(
    'endive',
  );
});

test('the page cannot read card details and does not receive them', async ({ page, sandbox }) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.frame() === page.mainFrame()) sent.push(`${request.url()} ${request.postData() ?? ''}`);
  });
  await fillCard(page, '4242424242424242', '12 / 64', '987');
  await submit(page);
  const reach = await page.evaluate(() =>
    [...document.querySelectorAll('iframe')].map((frame) => {
      try {
        return String((frame.contentWindow as Window & { sandboxCardField?: unknown }).sandboxCardField);
      } catch (error) {
        return error instanceof DOMException ? error.name : 'other';
      }
    }),
  );
  expect(reach).toEqual(['SecurityError', 'SecurityError', 'SecurityError']);
  const known = JSON.stringify(await pageEvents(page)) + (await page.content()) + sent.join();
  expect(known).not.toContain('4242424242424242');
  expect(known).not.toContain('4242 4242');
  // A token or a time may contain these digits among others.
  expect(known).not.toMatch(/(?<![0-9A-Za-z])987(?![0-9A-Za-z])/);
  expect(readFileSync(`${sandbox.dataFile}-wal`).includes('4242424242424242')).toBe(false);
});

test('createToken works in pages of loopback origins and of the given ones, and frames stay blank elsewhere', async ({
  page,
  sandbox,
}) => {
  const { publishableKey } = KEYS;
  const settings = { sandboxOrigin: sandbox.origin, scriptPath: SCRIPT_PATH, publishableKey };
  const stranger = await startPage(() => settings);
  const { port } = new URL(stranger.url);
  const shop = sandbox.pageOrigin.replace('127.0.0.1', 'shop.localhost');
  for (const origin of [stranger.url, `http://localhost:${port}`, shop]) {
    await openForm(page, origin);
    await fillCard(page, '4242424242424242');
    expect((await submit(page)).token).toMatchObject({ object: 'token' });
  }
  await page.goto(`http://stranger.localhost:${port}`);
  await expect.poll(() => page.frames().length).toBe(4);
  for (const frame of page.frames().slice(1))
    await expect.poll(() => frame.url()).toBe('chrome-error://chromewebdata/');
  stranger.close();
});

test('a number that is not a test card is refused by the API', async ({ page }) => {
  await fillCard(page, '4539578763621486');
  expect((await submit(page)).error).toMatchObject({
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'test_mode_live_card',
  });
});

test('fields have accessible names, autocomplete, and a sandbox badge', async ({ page }) => {
  await expect(inputOf(page, 'number')).toHaveAccessibleName('Credit or debit card number');
  await expect(inputOf(page, 'number')).toHaveAccessibleDescription(/sandbox for test card numbers only/);
  await expect(frameOf(page, 'number').getByText('sandbox').first()).toBeVisible();
  await expect(inputOf(page, 'number')).toHaveAttribute('autocomplete', 'cc-number');
  await expect(inputOf(page, 'expiry')).toHaveAttribute('autocomplete', 'cc-exp');
  await expect(inputOf(page, 'cvc')).toHaveAttribute('autocomplete', 'cc-csc');
  await expect(inputOf(page, 'cvc')).toHaveAttribute('placeholder', '123');
  await expect(inputOf(page, 'cvc')).toHaveAttribute('inputmode', 'numeric');
});

test('fields have no accessibility violations', async ({ page }) => {
  await fillCard(page, '4242424242424241');
  const { violations } = await new AxeBuilder({ page })
    .include('iframe')
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa'])
    .analyze();
  expect(violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target) }))).toEqual([]);
});
