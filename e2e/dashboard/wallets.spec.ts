import type { Page } from '@playwright/test';
import { expect, type TestCustomer, test } from '../support/fixtures.ts';
import { holdBack } from './network-faults.ts';
import {
  bankChallenge,
  cardsPath,
  fillCard,
  notKnownIfAdded,
  signIn,
  testCards,
  waitForCardFields,
} from './steps.ts';

/** Lets the sandbox offer its test wallet, as some browsers offer Apple Pay or Google Pay. */
const offerWallet = (page: Page) => page.addInitScript(() => localStorage.setItem('sandboxWallet', 'on'));
const walletButton = (page: Page) => page.getByRole('button', { name: 'Test wallet' });
const sheet = (page: Page) => page.getByRole('dialog', { name: 'Test wallet' });
const problem = (page: Page) => page.getByRole('main').getByRole('alert');

async function openForm(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Add a card' }).click();
  await waitForCardFields(page);
}

/** The clock is installed, to pass the time after which the form gives up on the fields. */
async function openFormWithoutFields(page: Page, customer: TestCustomer): Promise<void> {
  await page.clock.install();
  await offerWallet(page);
  await signIn(page, customer, '/cards');
  await page.route('**/elements/frame.js', (route) => route.abort());
  await page.getByRole('link', { name: 'Add a card' }).click();
}

async function choose(page: Page, name: RegExp): Promise<void> {
  await walletButton(page).click();
  await sheet(page).getByRole('button', { name }).click();
}

test('addCard, wallet: adds the card with the keyboard only and marks it as Apple Pay', async ({
  page,
  customer,
  clientOf,
}) => {
  await offerWallet(page);
  await signIn(page, customer, '/cards');
  await openForm(page);
  await expect(page.getByText('or', { exact: true })).toBeVisible();
  await walletButton(page).focus();
  await page.keyboard.press('Enter');
  await expect(sheet(page).getByRole('button', { name: /^Visa •••• 4242/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').getByText('Visa ending in 4242 was added.')).toBeVisible();
  await expect(page.getByRole('main').getByText('Credit, Apple Pay')).toBeVisible();
  const { cards } = await clientOf(customer).getCustomer();
  expect(cards).toMatchObject([{ last4: '4242', isApplePayCard: true, addressZip: '94107' }]);
});

test('addCard, wallet: a canceled wallet changes nothing, and the fields still work', async ({
  page,
  customer,
  clientOf,
}) => {
  await offerWallet(page);
  await signIn(page, customer, '/cards');
  const posted: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') posted.push(request.url());
  });
  await openForm(page);
  for (const cancel of [
    () => sheet(page).getByRole('button', { name: 'Cancel' }).click(),
    () => page.keyboard.press('Escape'),
  ]) {
    await walletButton(page).click();
    await cancel();
    await expect(sheet(page)).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Add card' })).toBeEnabled();
  }
  await expect(problem(page)).toHaveCount(0);
  expect(posted).toEqual([]);
  await fillCard(page, testCards.good);
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
  expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);
});

test('addCard, wallet: shows a decline, and another card can be chosen', async ({
  page,
  customer,
  clientOf,
}) => {
  await offerWallet(page);
  await signIn(page, customer, '/cards');
  await openForm(page);
  await choose(page, /^Declined/);
  await expect(problem(page)).toContainText('Your bank declined this card.');
  expect((await clientOf(customer).getCustomer()).cards).toEqual([]);
  await choose(page, /^Visa •••• 4242/);
  await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
});

test('addCard, wallet: continues after 3-D Secure', async ({ page, customer, clientOf }) => {
  await offerWallet(page);
  await signIn(page, customer, '/cards');
  await openForm(page);
  await choose(page, /3-D Secure/);
  await bankChallenge(page).getByRole('button', { name: 'Complete' }).click();
  await expect(page.getByText('Visa ending in 3155 was added.')).toBeVisible();
  const { cards } = await clientOf(customer).getCustomer();
  expect(cards).toMatchObject([{ last4: '3155', isApplePayCard: false }]);
});

test.describe('faults', () => {
  test.use({ expectedFaults: [/Failed to load resource/] });

  test('addCard, wallet: after it was refused because the session had ended, the form adds the card that was typed', async ({
    page,
    context,
    customer,
  }) => {
    await offerWallet(page);
    await signIn(page, customer, '/cards');
    await openForm(page);
    await fillCard(page, testCards.mastercard);
    await context.clearCookies();
    await choose(page, /^Visa •••• 4242/);
    await expect(problem(page).filter({ hasText: 'You were signed out.' })).toContainText(
      'Nothing was saved.',
    );
    await signIn(await context.newPage(), customer);
    await page.getByRole('button', { name: 'Add card' }).click();
    await expect(page.getByText('Mastercard ending in 4444 was added.')).toBeVisible();
  });

  test('addCard, wallet: card fields that do not load end nothing that a wallet has confirmed', async ({
    page,
    customer,
  }) => {
    await openFormWithoutFields(page, customer);
    const letThrough = await holdBack(page, cardsPath);
    const posted = page.waitForRequest(cardsPath);
    await choose(page, /^Visa •••• 4242/);
    await posted;
    await page.clock.fastForward('00:25');
    letThrough();
    await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
  });

  test('addCard, wallet: card fields that do not load hide no outcome of a wallet', async ({
    page,
    customer,
  }) => {
    await openFormWithoutFields(page, customer);
    await page.route(cardsPath, (route) => route.abort());
    await choose(page, /^Visa •••• 4242/);
    await expect(problem(page)).toContainText(notKnownIfAdded);
    await page.clock.fastForward('00:25');
    await page.unroute(cardsPath);
    await problem(page).getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
  });

  test('addCard, wallet: a retry posts the same payment method, without the wallet', async ({
    page,
    customer,
    clientOf,
  }) => {
    await offerWallet(page);
    await signIn(page, customer, '/cards');
    const posted: (string | null)[] = [];
    await page.route(cardsPath, async (route) => {
      posted.push(route.request().postData());
      await route.fetch();
      await route.abort();
    });
    await openForm(page);
    await choose(page, /^Visa •••• 4242/);
    await expect(problem(page)).toContainText(notKnownIfAdded);
    await page.unroute(cardsPath);
    // The fields are of another card.
    await page.getByLabel('Billing country').selectOption('CA');
    const letThrough = await holdBack(page, cardsPath);
    const again = page.waitForRequest(cardsPath);
    await problem(page).getByRole('button', { name: 'Try again' }).click();
    expect(posted).toContain((await again).postData());
    await expect(page.getByRole('region', { name: 'Add a card' })).toBeFocused();
    letThrough();
    await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
    expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);
  });
});

test('addCard, wallet: shows no button and takes no space where no wallet is offered', async ({
  page,
  customer,
}) => {
  await signIn(page, customer, '/cards');
  await openForm(page);
  const form = page.locator('form').filter({ has: page.getByLabel('Billing ZIP code') });
  const [formBox, fieldsBox] = [await form.boundingBox(), await form.locator('[aria-busy]').boundingBox()];
  expect(fieldsBox?.y).toBe(formBox?.y);
  await expect(walletButton(page)).toHaveCount(0);
  await expect(page.getByText('or', { exact: true })).toHaveCount(0);
});
