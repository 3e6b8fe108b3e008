import { readFileSync } from 'node:fs';
import AxeBuilder from '@axe-core/playwright';
import { expect } from '@playwright/test';
import { fillCard, frameOf, inputOf, KEYS, latestChange, openForm, seen, submitted, test } from './world.ts';

test.beforeEach(async ({ page, world }) => openForm(page, world.pageOrigin));

test('a card typed into three frames becomes a token that the API knows', async ({ page, world }) => {
  await fillCard(page, '4242424242424242');
  const { token } = await submitted(page);
  expect(token).toMatchObject({
    object: 'token',
    type: 'card',
    used: false,
    card: {
      brand: 'Visa',
      last4: '4242',
      exp_month: 12,
      exp_year: 2034,
      name: 'Ada Tester',
      address_zip: '94107',
    },
  });
  const response = await fetch(`${world.sandbox.origin}/v1/tokens/${token?.id}`, {
    headers: { Authorization: `Bearer ${KEYS.secretKey}` },
  });
  expect(await response.json()).toEqual(token);
});

test('the page, under its strict policy, loads no more and no less than it should', async ({ page }) => {
  const violations = (await seen(page)).filter(({ name }) => name === 'violation');
  expect(violations).toEqual([]);
  expect(await page.locator('iframe').count()).toBe(3);
  expect(await page.evaluate(() => (window as { Stripe?: { version?: string } }).Stripe?.version)).toBe(
    'endive',
  );
});

test('the page cannot read what is typed, and is never sent it', async ({ page, world }) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.frame() === page.mainFrame()) sent.push(`${request.url()} ${request.postData() ?? ''}`);
  });
  await fillCard(page, '4242424242424242', '12 / 34', '987');
  await submitted(page);
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
  const known = JSON.stringify(await seen(page)) + (await page.content()) + sent.join();
  expect(known).not.toContain('4242424242424242');
  expect(known).not.toContain('4242 4242');
  expect(known).not.toContain('987');
  expect(readFileSync(`${world.dataFile}-wal`).includes('4242424242424242')).toBe(false);
});

test('a frame stays blank in a page of any other origin', async ({ page, world }) => {
  const stranger = world.pageOrigin.replace('127.0.0.1', 'localhost');
  await page.route(`${stranger}/**`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<iframe src="${world.sandbox.origin}/elements/card-number.html"></iframe>`,
    }),
  );
  await page.goto(`${stranger}/`);
  await expect.poll(() => page.frames()[1]?.url()).toBe('chrome-error://chromewebdata/');
  await expect(page.frameLocator('iframe').getByRole('textbox')).toHaveCount(0);
});

test('a wrong number, a past date and a short code are told at once or on leaving the field', async ({
  page,
}) => {
  await inputOf(page, 'number').pressSequentially('4242424242424241');
  await expect
    .poll(async () => (await latestChange(page, 'number'))?.error)
    .toMatchObject({ code: 'invalid_number' });
  await expect(inputOf(page, 'number')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('#number')).toHaveClass(/StripeElement--invalid/);
  await inputOf(page, 'expiry').pressSequentially('0120');
  await expect
    .poll(async () => (await latestChange(page, 'expiry'))?.error)
    .toMatchObject({
      type: 'validation_error',
      code: 'invalid_expiry_year_past',
      message: "Your card's expiration year is in the past.",
    });
  await inputOf(page, 'cvc').pressSequentially('12');
  await expect.poll(() => latestChange(page, 'cvc')).toMatchObject({ empty: false, complete: false });
  expect((await latestChange(page, 'cvc'))?.error).toBeUndefined();
  await inputOf(page, 'cvc').blur();
  await expect
    .poll(async () => (await latestChange(page, 'cvc'))?.error)
    .toMatchObject({ code: 'incomplete_cvc' });
  expect((await submitted(page)).error).toMatchObject({ type: 'validation_error', code: 'invalid_number' });
});

test('an empty form answers with the first field that is not finished', async ({ page }) => {
  expect((await submitted(page)).error).toEqual({
    type: 'validation_error',
    code: 'incomplete_number',
    message: 'Your card number is incomplete.',
  });
  await expect(page.locator('.StripeElement--invalid')).toHaveCount(3);
});

test('a number of no test card is refused by the API, not by the field', async ({ page }) => {
  await fillCard(page, '4539578763621486');
  expect((await submitted(page)).error).toMatchObject({
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'test_mode_live_card',
  });
});

test('digits are grouped as on the card, and pasting and correcting keep them so', async ({ page }) => {
  const number = inputOf(page, 'number');
  await number.pressSequentially('378282246310005');
  await expect(number).toHaveValue('3782 822463 10005');
  await expect
    .poll(() => latestChange(page, 'number'))
    .toMatchObject({ brand: 'amex', complete: true, empty: false });
  await inputOf(page, 'cvc').pressSequentially('123');
  await expect.poll(() => latestChange(page, 'cvc')).toMatchObject({ complete: false });
  await inputOf(page, 'cvc').pressSequentially('4');
  await expect.poll(async () => (await latestChange(page, 'cvc'))?.complete).toBe(true);
  await number.fill('5555-5555 5555 4444');
  await expect(number).toHaveValue('5555 5555 5555 4444');
  await number.press('End');
  for (let count = 0; count < 5; count += 1) await number.press('Backspace');
  await expect(number).toHaveValue('5555 5555 555');
  await inputOf(page, 'expiry').fill('7/2031');
  await expect(inputOf(page, 'expiry')).toHaveValue('07 / 31');
  for (let count = 0; count < 4; count += 1) await inputOf(page, 'expiry').press('Backspace');
  await expect(inputOf(page, 'expiry')).toHaveValue('');
});

test('the keyboard goes through the fields in order, and Enter sends the form', async ({ page }) => {
  await page.getByText('Number', { exact: true }).click();
  await expect(inputOf(page, 'number')).toBeFocused();
  await expect(page.locator('#number')).toHaveClass(/StripeElement--focus/);
  await page.keyboard.type('6200000000000005');
  await page.keyboard.press('Tab');
  await page.keyboard.type('1234');
  await page.keyboard.press('Tab');
  await page.keyboard.type('123');
  await expect(inputOf(page, 'cvc')).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await page.locator('output').filter({ hasText: 'UnionPay' }).waitFor();
  const names = (await seen(page, 'cvc')).map(({ name }) => name);
  expect(names).toContain('escape');
  expect((await seen(page, 'number')).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['ready', 'focus', 'blur']),
  );
});

test('fields can be styled, disabled, cleared, hidden and shown again', async ({ page }) => {
  const number = inputOf(page, 'number');
  await expect(number).toHaveCSS('color', 'rgb(10, 20, 30)');
  await expect(number).toHaveCSS('font-size', '18px');
  await expect(page.locator('#number')).toHaveClass('StripeElement StripeElement--empty');
  await number.pressSequentially('4242424242424242');
  await expect(number).toHaveCSS('color', 'rgb(0, 100, 0)');
  await expect(page.locator('#number')).toHaveClass(/StripeElement--complete/);
  await page.getByRole('button', { name: 'Clear number' }).click();
  await expect(number).toHaveValue('');
  await expect.poll(() => latestChange(page, 'number')).toMatchObject({ empty: true, complete: false });
  await page.getByRole('button', { name: 'Toggle fields' }).click();
  await expect(number).toBeDisabled();
  await page.getByRole('button', { name: 'Show or hide' }).click();
  await expect(page.locator('iframe')).toHaveCount(0);
  await page.getByRole('button', { name: 'Show or hide' }).click();
  await expect(page.locator('iframe')).toHaveCount(3);
  await fillCard(page, '4242424242424242');
  expect((await submitted(page)).token).toMatchObject({ object: 'token' });
});

test('fields say what they are, to browsers that fill them in and to readers of the screen', async ({
  page,
}) => {
  await expect(inputOf(page, 'number')).toHaveAccessibleName('Credit or debit card number');
  await expect(inputOf(page, 'number')).toHaveAccessibleDescription(/stand-in for the card provider/);
  await expect(frameOf(page, 'number').getByText('stand-in').first()).toBeVisible();
  await expect(inputOf(page, 'number')).toHaveAttribute('autocomplete', 'cc-number');
  await expect(inputOf(page, 'expiry')).toHaveAttribute('autocomplete', 'cc-exp');
  await expect(inputOf(page, 'cvc')).toHaveAttribute('autocomplete', 'cc-csc');
  await expect(inputOf(page, 'cvc')).toHaveAttribute('placeholder', '123');
  await expect(inputOf(page, 'cvc')).toHaveAttribute('inputmode', 'numeric');
});

test('nothing in the fields stands in the way of assistive technology', async ({ page }) => {
  await fillCard(page, '4242424242424241');
  const { violations } = await new AxeBuilder({ page })
    .include('iframe')
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa'])
    .analyze();
  expect(violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target) }))).toEqual([]);
});
