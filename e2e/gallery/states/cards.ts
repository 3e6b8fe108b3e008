import { and, eq } from 'drizzle-orm';
import { cards } from '#db/schema.ts';
import { respondToCards } from '#e2e/dashboard/network-faults.ts';
import { signInToDemo } from '#e2e/dashboard/sign-in-form.ts';
import { addCardByApi, askToRemove, removeCard, signIn } from '#e2e/dashboard/steps.ts';
import { expect, setCardExpiry } from '#e2e/support/fixtures.ts';
import type { Stage, State } from '../state.ts';

const brands = ['visa_debit', 'mastercard_prepaid', 'amex', 'discover', 'diners', 'jcb', 'unionpay'];

export const cardsStates: State[] = [
  {
    name: 'demo',
    reach: async ({ page }) => {
      await signInToDemo(page);
      await page.goto('/cards');
    },
  },
  { name: 'empty', reach: async ({ page, customer }) => signIn(page, customer, '/cards') },
  {
    name: 'all-brands',
    reach: async ({ page, api, db, customer }) => {
      for (const brand of brands) await addCardByApi(api, customer, `tok_${brand}`);
      const values = { isApplePayCard: true, addressZip: '95814', addressCountry: 'US' };
      await db.update(cards).set(values).where(eq(cards.customerId, customer.id));
      await signIn(page, customer, '/cards');
    },
  },
  {
    name: 'expired-and-expiring',
    reach: async ({ page, api, db, customer }) => {
      await addCardByApi(api, customer, 'tok_mastercard');
      await setCardExpiry(db, customer, -1);
      await addCardByApi(api, customer);
      const soon = new Date();
      const expiry = { expMonth: soon.getUTCMonth() + 1, expYear: soon.getUTCFullYear() };
      await db
        .update(cards)
        .set(expiry)
        .where(and(eq(cards.customerId, customer.id), eq(cards.brand, 'visa')));
      await signIn(page, customer, '/cards');
    },
  },
  {
    name: 'remove-dialog',
    isWindowOnly: true,
    reach: async (stage) => {
      await openWithCard(stage);
      await askToRemove(stage.page);
    },
  },
  {
    name: 'removed-toast',
    isWindowOnly: true,
    reach: async (stage) => {
      const { page } = stage;
      await page.clock.install();
      await openWithCard(stage);
      await removeCard(page);
      await expect(page.getByText('Visa ending in 4242 was removed.')).toBeVisible();
      // Keeps the toast until the last picture.
      await page.clock.pauseAt(Date.now() + 1_000);
    },
  },
  { name: 'removal-failed', reach: failRemoval },
  {
    name: 'without-javascript',
    isWithoutJavaScript: true,
    reach: (stage) => openWithCard(stage),
  },
];

async function openWithCard({ page, api, customer }: Stage): Promise<void> {
  await addCardByApi(api, customer);
  await signIn(page, customer, '/cards');
}

async function failRemoval(stage: Stage): Promise<void> {
  await openWithCard(stage);
  await respondToCards(stage.page, 'internal');
  await removeCard(stage.page);
  await expect(stage.page.getByRole('main').getByRole('alert')).toBeVisible();
}
