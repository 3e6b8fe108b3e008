import type { Page } from '@playwright/test';
import { desc, eq } from 'drizzle-orm';
import { cards } from '#db/schema.ts';
import { expect, newCustomer, test } from '../support/fixtures.ts';
import { sandboxControl } from '../support/own-service.ts';
import { respondToCards } from './network-faults.ts';
import { bankChallenge, cardsPath, signIn, signInByRequest, signOut, startCard, testCards } from './steps.ts';

const declinedCard = '4000008400001629';

const press = (page: Page, name: string) =>
  bankChallenge(page).getByRole('button', { name, exact: true }).click();
const seesChallenge = (page: Page) =>
  expect(bankChallenge(page).getByRole('heading', { name: 'Confirm your card' })).toBeFocused();

async function submitCard(page: Page, number = testCards.confirmed): Promise<void> {
  await startCard(page, number);
  await page.getByRole('button', { name: 'Add card' }).click();
  await seesChallenge(page);
}

test('addCard, 3-D Secure: adds the card after the bank confirmed it, with the keyboard only', async ({
  page,
  customer,
  clientOf,
}) => {
  await signIn(page, customer, '/cards');
  await startCard(page, testCards.confirmed);
  await page.getByRole('button', { name: 'Add card' }).focus();
  await page.keyboard.press('Enter');
  await seesChallenge(page);
  expect((await clientOf(customer).getCustomer()).cards).toEqual([]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').getByText('Visa ending in 3155 was added.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Add a card' })).toBeFocused();
  expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);
});

const endings = [
  ['Fail', 'Your bank couldn’t confirm this card. Try again or use another card.'],
  [
    'Cancel',
    'You canceled your bank’s confirmation, so the card wasn’t added. Try again or use another card.',
  ],
  [
    'Close',
    'Your bank’s window was closed before you confirmed the card, so the card wasn’t added. Try again or use another card.',
  ],
] as const;

test('addCard, 3-D Secure: says what happened after Fail, Cancel, and Close, and the card can be added again', async ({
  page,
  clientOf,
  db,
}) => {
  for (const [ending, message] of endings) {
    await test.step(ending, async () => {
      const customer = await newCustomer(db);
      await signIn(page, customer, '/cards');
      await submitCard(page);
      await press(page, ending);
      const alert = page.getByRole('main').getByRole('alert');
      await expect(alert).toHaveText(message);
      await expect(page.getByRole('button', { name: 'Add card' })).toBeFocused();
      expect((await clientOf(customer).getCustomer()).cards).toEqual([]);
      await page.getByRole('button', { name: 'Add card' }).click();
      await press(page, 'Complete');
      await expect(page.getByText('Visa ending in 3155 was added.')).toBeVisible();
      expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);
      await signOut(page);
    });
  }
});

test('addCard, 3-D Secure: shows the decline of a bank that confirmed the card', async ({
  page,
  customer,
}) => {
  await signIn(page, customer, '/cards');
  await submitCard(page, declinedCard);
  await press(page, 'Complete');
  await expect(page.getByText(/Your bank declined this card/)).toBeVisible();
});

test.describe('session that ended', () => {
  test.use({ expectedFaults: [/status of 401/] });

  test('addCard, 3-D Secure: says that the outcome is unknown after a sign-out in another tab, and continues after signing in', async ({
    page,
    context,
    customer,
    clientOf,
  }) => {
    await signIn(page, customer, '/cards');
    await submitCard(page);
    await context.clearCookies();
    await press(page, 'Complete');
    await expect(page.getByRole('main').getByRole('alert')).toHaveText(
      'You were signed out.We couldn’t confirm that the card was saved. Sign in again in a new tab; this page stays as it is.',
    );
    await signInByRequest(page.request, customer);
    await page.getByRole('button', { name: 'Add card' }).click();
    await expect(page.getByText('Visa ending in 3155 was added.')).toBeVisible();
    expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);
  });
});

test.describe('lost connection', () => {
  test.use({ expectedFaults: [/Failed to load resource|blocked by CORS/] });

  test('addCard, 3-D Secure: a retry goes on where the bank is', async ({ page, customer, clientOf }) => {
    await signIn(page, customer, '/cards');
    // Stripe.js cannot read the setup intent, so the challenge does not open.
    await page.route('**/v1/setup_intents/**', (route) => route.abort());
    const posted: (string | null)[] = [];
    await page.route(cardsPath, (route) => {
      posted.push(route.request().postData());
      return route.continue();
    });
    await startCard(page, testCards.confirmed);
    await page.getByRole('button', { name: 'Add card' }).click();
    await expect(page.getByRole('main').getByRole('alert')).toHaveText(
      'You haven’t finished your bank’s confirmation, so the card wasn’t added. Try again to continue.',
    );
    await page.unroute('**/v1/setup_intents/**');
    await page.getByRole('button', { name: 'Add card' }).click();
    await press(page, 'Complete');
    await expect(page.getByText('Visa ending in 3155 was added.')).toBeVisible();
    expect(new Set(posted).size).toBe(1);
    expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);
  });
});

test.describe('used-up quota', () => {
  test.use({ expectedFaults: [/status of 429/] });

  test('addCard, 3-D Secure: a retry after a 429 posts the confirmed card again', async ({
    page,
    customer,
    clientOf,
  }) => {
    await signIn(page, customer, '/cards');
    await submitCard(page);
    await respondToCards(page, 'too_many_requests', { retryAfterSeconds: 1 });
    await press(page, 'Complete');
    const alert = page.getByRole('main').getByRole('alert');
    await expect(alert).toContainText('We couldn’t confirm that the card was saved.');
    await page.unroute(cardsPath);
    await page.getByRole('button', { name: 'Add card' }).click();
    await expect(page.getByText('Visa ending in 3155 was added.')).toBeVisible();
    expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);
  });
});

test('addCard, 3-D Secure: after a reload, the card can be added again or is added by the event', async ({
  page,
  customer,
  clientOf,
  db,
}) => {
  await signIn(page, customer, '/cards');
  await submitCard(page);
  await page.reload();
  await expect(page.getByText('No cards on file')).toBeVisible();
  await submitCard(page);
  await press(page, 'Complete');
  await expect(page.getByText('Visa ending in 3155 was added.')).toBeVisible();

  await submitCard(page, '4000002760003184');
  await page.reload();
  const [row] = await db
    .select({ setupIntentId: cards.setupIntentId })
    .from(cards)
    .where(eq(cards.customerId, customer.id))
    .orderBy(desc(cards.id))
    .limit(1);
  await sandboxControl(`POST setup_intents/${row?.setupIntentId}/complete_action`);
  await expect.poll(async () => (await clientOf(customer).getCustomer()).cards).toHaveLength(2);
  await page.reload();
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(2);
});
