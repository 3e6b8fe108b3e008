import { expect } from '@playwright/test';
import {
  fillCard,
  inputOf,
  latestChange,
  mountFields,
  openForm,
  pageEvents,
  submit,
  test,
} from './test-sandbox.ts';

test.beforeEach(async ({ page, sandbox }) => openForm(page, sandbox.pageOrigin));

test('an invalid number, a past expiry, and a short CVC show errors', async ({ page }) => {
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
  expect((await submit(page)).error).toMatchObject({ type: 'validation_error', code: 'invalid_number' });
});

test('createToken returns the error of the first incomplete field', async ({ page }) => {
  expect((await submit(page)).error).toEqual({
    type: 'validation_error',
    code: 'incomplete_number',
    message: 'Your card number is incomplete.',
  });
  await expect(page.locator('.StripeElement--invalid')).toHaveCount(3);
});

test('digits are grouped as on the card while typing, pasting, and deleting', async ({ page }) => {
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
  await number.press('Home');
  for (let count = 0; count < 5; count += 1) await number.press('ArrowRight');
  await number.pressSequentially('1');
  await expect(number).toHaveValue('5555 1555 5555');
  await number.press('ArrowLeft');
  await number.press('Backspace');
  await expect(number).toHaveValue('5551 5555 555');
  await inputOf(page, 'expiry').fill('7/2031');
  await expect(inputOf(page, 'expiry')).toHaveValue('07 / 31');
  for (let count = 0; count < 4; count += 1) await inputOf(page, 'expiry').press('Backspace');
  await expect(inputOf(page, 'expiry')).toHaveValue('');
});

test('Tab moves through the fields in order, and Enter submits the form', async ({ page }) => {
  await page.getByText('Number', { exact: true }).click();
  await expect(inputOf(page, 'number')).toBeFocused();
  await expect(page.locator('#number')).toHaveClass(/StripeElement--focus/);
  await page.keyboard.type('6200000000000005');
  await page.keyboard.press('Tab');
  await page.keyboard.type('1264');
  await page.keyboard.press('Tab');
  await page.keyboard.type('123');
  await expect(inputOf(page, 'cvc')).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await page.locator('output').filter({ hasText: 'UnionPay' }).waitFor();
  const names = (await pageEvents(page, 'cvc')).map(({ name }) => name);
  expect(names).toContain('escape');
  expect((await pageEvents(page, 'number')).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['ready', 'focus', 'blur']),
  );
});

test('fields can be styled, disabled, and cleared', async ({ page }) => {
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
});

test('fields can be unmounted and mounted again', async ({ page }) => {
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  await press('Unmount expiry');
  await expect(page.locator('iframe')).toHaveCount(2);
  await expect(page.locator('#expiry')).not.toHaveClass(/StripeElement/);
  await mountFields(page, 1, () => press('Mount expiry'));
  await press('Add or drop code');
  await expect(page.locator('iframe')).toHaveCount(2);
  await mountFields(page, 1, () => press('Add or drop code'));
  await expect(page.locator('iframe')).toHaveCount(3);
  await fillCard(page, '4242424242424242');
  expect((await submit(page)).token).toMatchObject({ object: 'token' });
  await press('Show or hide');
  await expect(page.locator('iframe')).toHaveCount(0);
  await mountFields(page, 3, () => press('Show or hide'));
  await expect(page.locator('iframe')).toHaveCount(3);
  await fillCard(page, '4242424242424242');
  expect((await submit(page)).token).toMatchObject({ object: 'token' });
});
