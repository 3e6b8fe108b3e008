/** Steps that several specs share. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { type APIRequestContext, type Page, test as step } from '@playwright/test';
import type { Database } from '#db/client.ts';
import { type Credentials, insertEntries } from '#tools/testing/factories.ts';
import { expect, type TestCustomer } from '../support/fixtures.ts';
import { hiddenFieldsOf } from '../support/http.ts';

export const testCards = {
  good: '4242424242424242',
  declined: '4000000000000002',
  mastercard: '5555555555554444',
  zipMismatch: '4000000000000036',
  /** Its bank wants to confirm it. */
  confirmed: '4000002500003155',
};

export const bankChallenge = (page: Page) =>
  page.frameLocator('iframe[title="Secure 3D Secure authentication frame"]');

/** Matches the pages' requests for adding and removing cards. */
export const cardsPath = '**/api/schedule/v1/payment/cards**';

/** Messages for a change whose response was lost. */
export const notKnownIfAdded =
  'We couldn’t confirm that the card was saved. It’s safe to try again; it won’t be added twice.';
export const notKnownIfRemoved =
  'We couldn’t confirm that Visa ending in 4242 was removed. It’s safe to try again.';

/** Fills and submits the form of the open sign-in page. */
export async function submitCredentials(page: Page, { apiKey, apiSecret }: Credentials): Promise<void> {
  await page.getByLabel('API key').fill(apiKey);
  await page.getByLabel('API secret', { exact: true }).fill(apiSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in with the form. */
export async function signInByForm(page: Page, customer: TestCustomer, path = '/'): Promise<void> {
  await step.step('Sign in', async () => {
    await page.goto(path === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(path)}`);
    await submitCredentials(page, customer);
    await page.waitForURL((url) => url.pathname === path);
  });
}

/** Signs in without loading the sign-in page in the browser, and opens a page. */
export async function signIn(page: Page, credentials: Credentials, url = '/'): Promise<void> {
  await step.step('Sign in', async () => {
    await signInByRequest(page.request, credentials);
    await page.goto(url);
  });
}

/** Signs in and opens no page. With `context.request`, the context's pages are signed in too. */
export async function signInByRequest(
  request: APIRequestContext,
  { apiKey, apiSecret }: Credentials,
): Promise<void> {
  const form = await request.get('/sign-in');
  const response = await request.post('/sign-in', {
    headers: { Origin: new URL(form.url()).origin },
    multipart: { ...hiddenFieldsOf(await form.text()), apiKey, apiSecret },
    maxRedirects: 0,
  });
  expect(response.status()).toBe(303);
}

/** Signs in as the demo customer of a service. */
export async function signInToDemo(
  page: Page,
  url = '/',
  dataDir = process.env.E2E_DATA_DIR ?? '',
): Promise<void> {
  await signIn(page, await demoCredentials(dataDir), url);
}

export async function demoCredentials(dataDir: string): Promise<Credentials> {
  const file = path.join(dataDir, 'demo.env');
  const { API_KEY = '', API_SECRET = '' } = parseEnv(await readFile(file, 'utf8'));
  return { apiKey: API_KEY, apiSecret: API_SECRET };
}

/** The provider's three fields, each in its own frame. */
export function cardFields(page: Page) {
  const field = (label: string) =>
    page.frameLocator(`iframe[title="Secure ${label} input frame"]`).getByRole('textbox');
  return { number: field('card number'), expiry: field('expiration date'), cvc: field('CVC') };
}

export async function waitForCardFields(page: Page): Promise<void> {
  await expect(cardFields(page).number).toBeVisible();
  await expect(page.locator('form [aria-busy="true"]')).toHaveCount(0);
}

export async function fillCard(page: Page, number: string): Promise<void> {
  await waitForCardFields(page);
  const fields = cardFields(page);
  await fields.number.pressSequentially(number);
  await fields.expiry.pressSequentially('1269');
  await fields.cvc.pressSequentially('123');
  await page.getByLabel('Billing ZIP code').fill('95814');
  // The page learns it from messages of the frames, which a key would overtake.
  await expect(page.locator('.StripeElement--complete')).toHaveCount(3);
}

/** Opens and fills the form, but does not submit it. */
export async function startCard(page: Page, number: string): Promise<void> {
  await page.getByRole('link', { name: 'Add a card' }).click();
  await fillCard(page, number);
}

/** Adds deliveries `N-1`, `N-2`, …, 50 minutes apart, the latest first. */
export async function addDeliveries(db: Database, customer: TestCustomer, count: number): Promise<void> {
  const deliveries = Array.from({ length: count }, (_, index) => ({
    customerId: customer.id,
    amountCents: BigInt(1_000 + ((index + 1) % 500)),
    takesEffectAt: new Date(Date.now() - (index + 1) * 50 * 60_000),
    description: `Delivery number ${index + 1}`,
    reference: `N-${index + 1}`,
  }));
  await insertEntries(db, deliveries);
}

/** Scrolls to the map, which loads when it is near the window. */
export async function scrollToMap(page: Page): Promise<void> {
  await page.locator('.map').first().scrollIntoViewIfNeeded();
  await expect(page.locator('.leaflet-container path.map-area')).toHaveAttribute('d', /^M/);
}

export async function askPoint(page: Page, text: string): Promise<void> {
  await page.getByLabel('Latitude and longitude').fill(text);
  await page.getByRole('button', { name: 'Check this point' }).click();
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account: / }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page.getByText('You’re signed out.')).toBeVisible();
}

/** Removes a card and confirms the dialog. */
export async function removeCard(page: Page, name = 'Visa ending in 4242'): Promise<void> {
  await page.getByRole('button', { name: `Remove ${name}` }).click();
  await page.getByRole('button', { name: 'Remove card' }).click();
}

/** Opens the dialog for removing the only card. */
export async function askToRemove(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Remove/ }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
}

/** Submits the open card form without entering anything. */
export async function sendEmptyForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('Enter the card number.')).toBeVisible();
}
