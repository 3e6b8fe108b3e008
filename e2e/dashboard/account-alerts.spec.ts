import { eq } from 'drizzle-orm';
import { cards, cities, customers } from '#db/schema.ts';
import {
  addTestCard,
  expect,
  newCards,
  newEntry,
  setCardExpiry,
  monthTest as test,
} from '../support/fixtures.ts';
import { cardFields, signIn, waitForCardFields } from './steps.ts';

test('account alerts: no action needed', async ({ page, customer, clientOf, db }) => {
  await addTestCard(clientOf(customer));
  await db.update(customers).set({ isEmailConfirmed: true }).where(eq(customers.id, customer.id));
  await signIn(page, customer);
  await expect(page.getByText('No action needed.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Account alerts' })).toBeHidden();
});

for (const viewport of [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]) {
  test(`overview: shows the balance, the due date, the default card, and alerts on ${viewport.width} × ${viewport.height} px`, {
    tag: viewport.width === 390 ? '@thorough' : [],
  }, async ({ page, customer, clientOf, db }) => {
    await page.setViewportSize(viewport);
    await addTestCard(clientOf(customer));
    await setCardExpiry(db, customer, 1);
    await signIn(page, customer);
    for (const shown of [
      page.getByText('Visa ending in 4242 expires at the end of next month.'),
      page.getByText('$0.00', { exact: true }).first(),
      page.getByText(/^Nothing is due for/),
      page.getByRole('region', { name: 'Cards' }).getByText('Default', { exact: true }),
    ]) {
      await expect(shown).toBeInViewport({ ratio: 1 });
    }
  });
}

test('overview: the headings of recent transactions stay on one line', { tag: '@thorough' }, async ({
  page,
  customer,
  db,
}) => {
  await newEntry(db, customer, { amountCents: 875n });
  await signIn(page, customer);
  const lines = page.getByRole('columnheader', { name: 'Amount' }).evaluate((heading) => {
    const range = document.createRange();
    range.selectNodeContents(heading);
    return range.getClientRects().length;
  });
  expect(await lines).toBe(1);
});

test('account alerts: expiring card, unconfirmed email, and inactive city', async ({
  page,
  customer,
  clientOf,
  db,
}) => {
  await addTestCard(clientOf(customer));
  await setCardExpiry(db, customer, 1);
  await db.update(customers).set({ isEmailConfirmed: false }).where(eq(customers.id, customer.id));
  await db.update(cities).set({ isActive: false }).where(eq(cities.slug, customer.city.slug));
  await signIn(page, customer);
  const attention = page.getByRole('region', { name: 'Account alerts' });
  await expect(attention.getByText('Visa ending in 4242 expires at the end of next month.')).toBeVisible();
  await expect(attention.getByText('Your email address isn’t confirmed.')).toBeVisible();
  await expect(attention.getByText('Deliveries in Testville are paused.')).toBeVisible();
  await expect(page.getByText('No action needed.')).toBeHidden();
  await expect(page.getByRole('region', { name: 'Service area' })).not.toContainText('Deliveries start at');
  const card = page.getByRole('region', { name: 'Cards' }).getByRole('listitem');
  await expect(card.getByText('Expires soon')).toBeVisible();
  await expect(card.getByText('Default', { exact: true })).toBeVisible();
  await page.goto('/profile');
  await expect(page.getByText('Not confirmed', { exact: true })).toBeVisible();
});

test('cards: with as many cards as allowed, says so before one more is entered', async ({
  page,
  customer,
  db,
}) => {
  await newCards(db, customer, 20);
  await signIn(page, customer, '/cards');
  await expect(
    page.getByText('You have 20 cards, the maximum. Remove one before you add a card with another number.'),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Remove Visa ending in 4242' }).first().click();
  await expect(page.getByRole('alertdialog')).toContainText('Visa ending in 4242 will be your default.');
  await page.getByRole('button', { name: 'Remove card' }).click();
  await expect(page.getByText(/^Your newest unexpired card is your default/)).toBeVisible();
});

test('cards: an expired card is labeled and is not the default', async ({ page, customer, clientOf, db }) => {
  await addTestCard(clientOf(customer));
  await setCardExpiry(db, customer, -1);
  await signIn(page, customer);
  await expect(page.getByText('Your card has expired.')).toBeVisible();
  await page.goto('/cards');
  const card = page.getByRole('listitem').filter({ hasText: '4242' });
  await expect(card.getByText('Expired', { exact: true }).first()).toBeVisible();
  await expect(card.getByText('Default')).toBeHidden();
  await expect(
    page.getByText('Your card has expired. Add a new card so we can collect your next payment.'),
  ).toBeVisible();
  await addTestCard(clientOf(customer), 'tok_mastercard');
  await page.reload();
  await expect(page.getByText(/^Your newest unexpired card is your default/)).toBeVisible();
  const second = page.getByRole('listitem').filter({ hasText: 'Mastercard' }).first();
  await expect(second.getByText('Default')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Expiration timeline' }).getByRole('definition')).toHaveText([
    /^Expired in [A-Z][a-z]+ \d{4}$/,
    /^[A-Z][a-z]+ \d{4}, in \d+ months$/,
  ]);
});

test('cards: show funding, billing address, and Apple Pay', { tag: '@thorough' }, async ({
  page,
  customer,
  clientOf,
  db,
}) => {
  await addTestCard(clientOf(customer), 'tok_visa_debit');
  await db
    .update(cards)
    .set({ isApplePayCard: true, addressZip: '95814', addressCountry: 'US' })
    .where(eq(cards.customerId, customer.id));
  await signIn(page, customer, '/cards');
  const card = page.getByRole('listitem').filter({ hasText: 'Visa' });
  await expect(card.getByText('Debit, Apple Pay')).toBeVisible();
  await expect(card.getByText('95814, US')).toBeVisible();
});

test('card form: shows the brand while the number is typed', { tag: '@thorough' }, async ({
  page,
  customer,
}) => {
  await signIn(page, customer, '/cards');
  await page.getByRole('link', { name: 'Add a card' }).click();
  await waitForCardFields(page);
  const form = page.locator('form').filter({ hasText: 'Card number' });
  for (const [digits, brand] of [
    ['37', 'AMEX'],
    ['55', 'MC'],
    ['42', 'VISA'],
  ] as const) {
    await cardFields(page).number.fill('');
    await cardFields(page).number.pressSequentially(digits);
    await expect(form.locator('svg').getByText(brand)).toBeVisible();
  }
});

test('card form: reports invalid fields while they are typed', async ({ page, customer }) => {
  await signIn(page, customer, '/cards');
  await page.getByRole('link', { name: 'Add a card' }).click();
  await waitForCardFields(page);
  await cardFields(page).number.pressSequentially('4242424242424241');
  await expect(page.locator('form').getByText('Your card number is invalid.')).toBeVisible();
  await cardFields(page).expiry.pressSequentially('0120');
  await expect(page.locator('#card-expiry-error')).toHaveText('Your card’s expiration year is in the past.');
});

test('support contact: shown on sign-in and next to the API secret', { tag: '@thorough' }, async ({
  page,
  customer,
}) => {
  await page.goto('/sign-in');
  await expect(page.getByText(/Our support team issues API keys. Contact\s+\S+@\S+/)).toBeVisible();
  await signIn(page, customer, '/api-access');
  const secret = page.getByRole('region', { name: 'API secret' });
  // The sign-in response doesn't wait for this write.
  await expect
    .poll(async () => {
      await page.reload();
      return secret.getByText(/^Last used to call the API or sign in: .* time$/i).isVisible();
    })
    .toBe(true);
  await expect(secret.getByText(/If you’ve lost yours, contact \S+@\S+/)).toBeVisible();
  const lines = page.getByRole('region', { name: 'Quickstart' });
  await expect(lines.getByText('••••')).toHaveCount(4);
  await expect(page.locator('main').getByText(customer.apiKey)).toHaveCount(0);
  await page.getByRole('button', { name: 'Show the API key' }).click();
  await expect(lines.getByText(customer.apiKey)).toHaveCount(4);
});

test.describe('with clipboard access', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('API access: copies the whole key while it is masked on the page', { tag: '@thorough' }, async ({
    page,
    customer,
  }) => {
    await signIn(page, customer, '/api-access');
    await page.getByRole('button', { name: 'Copy “Get your account with curl”' }).click();
    await expect(page.getByText('“Get your account with curl” copied.')).toBeVisible();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`X-AUTH-APIKEY: ${customer.apiKey}'`);
  });
});
