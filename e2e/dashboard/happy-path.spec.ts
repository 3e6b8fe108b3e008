import { addTestCard, expect, newEntry, test } from '../support/fixtures.ts';
import {
  fillCard,
  removeCard,
  scrollToMap,
  signIn,
  signInByForm,
  signOut,
  startCard,
  testCards,
} from './steps.ts';

test('happy path: sign in, balance due, map, add, decline, and remove a card, sign out', async ({
  page,
  customer,
  db,
  clientOf,
}) => {
  await newEntry(db, customer, { amountCents: 128_450n });
  await signInByForm(page, customer);

  await expect(page).toHaveTitle(/^Overview · /);
  const balance = page.getByRole('region', { name: 'Balance due' });
  await expect(balance.getByText('$1,284.50', { exact: true })).toBeVisible();
  await expect(balance.getByRole('img', { name: /Chart of the balance/ })).toBeVisible();
  const transactions = page.getByRole('region', { name: 'Recent transactions' });
  await expect(transactions.getByRole('cell', { name: '$1,284.50' })).toBeVisible();
  await expect(page.getByText(/^Due [A-Z][a-z]{2},\xa0[A-Z][a-z]{2}\xa0\d+, Pacific time$/)).toBeVisible();
  const profile = page.getByRole('region', { name: 'Profile' });
  await expect(profile.getByText('Ada Byron')).toBeVisible();
  await expect(profile.getByText('+1 (415) 555-0100')).toBeVisible();
  const area = page.getByRole('region', { name: 'Service area' });
  await scrollToMap(page);
  await expect(
    area.getByText(/about \d+ square miles around Testville \(Test County\)\. Deliveries start at \$8\.99\./),
  ).toBeVisible();

  await expect(page.getByRole('region', { name: 'Cards' }).getByText('No cards on file')).toBeVisible();
  await page.getByRole('link', { name: 'Add a card' }).click();
  await expect(page.getByRole('heading', { name: 'Add a card' })).toBeFocused();
  const cards = page.getByRole('main');
  await page.evaluate(() => document.body.setAttribute('data-not-reloaded', ''));
  await fillCard(page, testCards.good);
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByRole('status').getByText('Visa ending in 4242 was added.')).toBeVisible();
  await expect(cards.getByRole('listitem')).toHaveCount(1);
  await expect(cards.getByRole('listitem').getByText('Default', { exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Add a card' })).toBeFocused();
  expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);

  await startCard(page, testCards.declined);
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(
    page.getByText('Your bank declined this card. Try another card, or call the number on the back of it.'),
  ).toBeVisible();
  await expect(cards.getByRole('listitem')).toHaveCount(1);
  await page.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'Remove Visa ending in 4242' }).click();
  const question = page.getByRole('alertdialog', { name: 'Remove Visa ending in 4242?' });
  await expect(question.getByRole('button', { name: 'Keep card' })).toBeFocused();
  await question.getByRole('button', { name: 'Remove card' }).click();
  await expect(page.getByRole('status').getByText('Visa ending in 4242 was removed.')).toBeVisible();
  await expect(cards.getByText('No cards on file')).toBeVisible();
  // The focused button was removed with its card.
  await expect(cards.locator(':focus')).toBeVisible();
  expect((await clientOf(customer).getCustomer()).cards).toEqual([]);
  await expect(page.locator('body')).toHaveAttribute('data-not-reloaded', '');

  await signOut(page);
  await page.goto('/cards');
  await expect(page).toHaveURL('/sign-in?next=%2Fcards');
});

test('card form: shows field errors and accepts another card after a decline', async ({ page, customer }) => {
  await signIn(page, customer, '/cards');
  await page.getByRole('link', { name: 'Add a card' }).click();
  await page.getByRole('button', { name: 'Add card' }).click();
  for (const message of [
    'Enter the card number.',
    'Enter the expiration date.',
    'Enter the security code.',
  ]) {
    await expect(page.getByText(message)).toBeVisible();
  }
  await expect(page.getByText('Enter a 5-digit ZIP code.')).toBeVisible();

  await fillCard(page, '4000000000000127');
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.locator('#card-cvc-error').getByRole('alert')).toHaveText(
    'The security code (CVC) isn’t right. Check it and try again.',
  );

  await page.getByRole('button', { name: 'Cancel' }).click();
  await startCard(page, testCards.good);
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'Default' })).toContainText('4242');
});

test('cards: are added and removed over http, where browsers have no random UUIDs', async ({
  page,
  customer,
}) => {
  await page.addInitScript(() => Object.assign(crypto, { randomUUID: undefined }));
  await signIn(page, customer, '/cards');
  await startCard(page, testCards.good);
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
  await removeCard(page);
  await expect(page.getByText('Visa ending in 4242 was removed.')).toBeVisible();
});

test('double click: signs in and removes once, and signs out', async ({ page, customer, clientOf }) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  const { uuid } = await addTestCard(clientOf(customer));
  await page.goto('/sign-in?next=%2Fcards');
  await page.getByLabel('API key').fill(customer.apiKey);
  await page.getByLabel('API secret', { exact: true }).fill(customer.apiSecret);
  await page.getByRole('button', { name: 'Sign in' }).dblclick();
  await page.waitForURL('/cards');
  await page.getByRole('button', { name: 'Remove Visa ending in 4242' }).click();
  await page.getByRole('button', { name: 'Remove card' }).dblclick();
  await expect(page.getByText('Visa ending in 4242 was removed.')).toBeVisible();
  await page.getByRole('button', { name: /^Account: / }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).dblclick();
  await expect(page.getByText('You’re signed out.')).toBeVisible();
  const cardPath = `DELETE /api/schedule/v1/payment/cards/${uuid}`;
  // The form of signing out works without scripts, and a second request changes nothing.
  expect(sent.slice(0, 3)).toEqual(['POST /sign-in', cardPath, 'POST /sign-out']);
  expect(sent.slice(3).filter((request) => request !== 'POST /sign-out')).toEqual([]);
});

test('double click: adds one card', async ({ page, customer, clientOf }) => {
  await signIn(page, customer, '/cards');
  await startCard(page, testCards.good);
  await page.getByRole('button', { name: 'Add card' }).dblclick();
  await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
  expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);
});

test('cards: says that the first card becomes the default once the last one is removed', async ({
  page,
  customer,
  clientOf,
}) => {
  await addTestCard(clientOf(customer));
  await signIn(page, customer, '/cards');
  await expect(page.getByText(/^Your newest unexpired card is your default/)).toBeVisible();
  await removeCard(page);
  await expect(page.getByText('No cards on file')).toBeVisible();
  await expect(page.getByText('The first card you add becomes your default for payments.')).toBeVisible();
});

test('cards: says that the ZIP code is not the one that the bank knows', async ({ page, customer }) => {
  await signIn(page, customer, '/cards');
  const cards = page.getByRole('main').getByRole('listitem');
  await startCard(page, testCards.zipMismatch);
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(cards).toContainText(
    'Your bank says the ZIP code doesn’t match. To correct it, remove this card and add it again.',
  );
  await startCard(page, testCards.good);
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(cards).toHaveCount(2);
  await expect(page.getByText(/ZIP code doesn’t match/)).toHaveCount(1);
});
