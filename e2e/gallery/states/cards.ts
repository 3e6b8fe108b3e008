import { and, eq } from 'drizzle-orm';
import { cards } from '#db/schema.ts';
import { cardScript, holdBack, respondToCards } from '#e2e/dashboard/network-faults.ts';
import {
  askToRemove,
  bankChallenge,
  cardFields,
  cardsPath,
  removeCard,
  sendEmptyForm,
  startCard,
  testCards,
  waitForCardFields,
} from '#e2e/dashboard/steps.ts';
import { addTestCard, expect, setCardExpiry } from '#e2e/support/fixtures.ts';
import type { ProblemCode } from '#src/errors.ts';
import { installClock, type Stage, type State, stopClock } from '../state.ts';

const brands = ['visa_debit', 'mastercard_prepaid', 'amex', 'discover', 'diners', 'jcb', 'unionpay'];

const withCard = ({ clientOf, customer }: Stage) => addTestCard(clientOf(customer));

export const cardsStates: State[] = [
  { name: 'demo', demo: '/cards' },
  { name: 'empty', open: '/cards' },
  {
    name: 'all-brands',
    prepare: async ({ clientOf, db, customer }) => {
      for (const brand of brands) await addTestCard(clientOf(customer), `tok_${brand}`);
      const values = { isApplePayCard: true, addressZip: '95814', addressCountry: 'US' };
      await db.update(cards).set(values).where(eq(cards.customerId, customer.id));
    },
    open: '/cards',
  },
  {
    name: 'expired-and-expiring',
    prepare: async ({ clientOf, db, customer }) => {
      await addTestCard(clientOf(customer), 'tok_mastercard');
      await setCardExpiry(db, customer, -1);
      await addTestCard(clientOf(customer));
      const soon = new Date();
      const expiry = { expMonth: soon.getUTCMonth() + 1, expYear: soon.getUTCFullYear() };
      await db
        .update(cards)
        .set(expiry)
        .where(and(eq(cards.customerId, customer.id), eq(cards.brand, 'visa')));
    },
    open: '/cards',
  },
  {
    name: 'remove-dialog',
    isWindowOnly: true,
    prepare: withCard,
    open: '/cards',
    reach: ({ page }) => askToRemove(page),
  },
  {
    name: 'removed-toast',
    isWindowOnly: true,
    prepare: async (stage) => {
      await installClock(stage);
      await withCard(stage);
    },
    open: '/cards',
    reach: async ({ page }) => {
      await removeCard(page);
      await expect(page.getByText('Visa ending in 4242 was removed.')).toBeVisible();
      await stopClock(page);
    },
  },
  {
    name: 'removal-failed',
    prepare: withCard,
    open: '/cards',
    reach: async ({ page }) => {
      await respondToCards(page, 'internal');
      await removeCard(page);
      await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
    },
  },
  { name: 'without-javascript', isWithoutJavaScript: true, prepare: withCard, open: '/cards' },
];

export const cardFormStates: State[] = [
  {
    name: 'loading',
    prepare: installClock,
    open: '/cards',
    reach: async ({ page }) => {
      await holdBack(page, cardScript);
      await page.getByRole('link', { name: 'Add a card' }).click();
      await expect(page.getByText('Loading the card form')).toBeAttached();
      // Stops the timeout for the form.
      await stopClock(page);
    },
  },
  {
    name: 'script-blocked',
    open: '/cards',
    reach: async ({ page }) => {
      await page.route(cardScript, (route) => route.abort());
      await page.getByRole('link', { name: 'Add a card' }).click();
      await expect(page.getByText('The card form didn’t load.')).toBeVisible();
    },
  },
  { name: 'open', open: '/cards', reach: openForm },
  { name: 'filled', open: '/cards', reach: ({ page }) => startCard(page, testCards.good) },
  {
    name: 'other-country',
    open: '/cards',
    reach: async (stage) => {
      await openForm(stage);
      await stage.page.getByLabel('Billing country').selectOption('NL');
    },
  },
  {
    name: 'invalid-number',
    open: '/cards',
    reach: async (stage) => {
      await openForm(stage);
      await cardFields(stage.page).number.pressSequentially('4242424242424241');
      await expect(stage.page.getByText('Your card number is invalid.')).toBeVisible();
    },
  },
  {
    name: 'required-fields',
    open: '/cards',
    reach: async (stage) => {
      await openForm(stage);
      await sendEmptyForm(stage.page);
    },
  },
  {
    name: 'submitting',
    open: '/cards',
    reach: async ({ page }) => {
      await holdBack(page, cardsPath);
      await sendCard(page, testCards.good);
      await expect(page.getByRole('button', { name: 'Adding card…' })).toBeVisible();
    },
  },
  ...(
    [
      ['declined', testCards.declined, /Your bank declined/],
      ['wrong-code', '4000000000000127', /security code \(CVC\) isn/],
      ['no-funds', '4000000000009995', /enough funds/],
    ] as const
  ).map(
    ([name, number, message]): State => ({
      name,
      open: '/cards',
      reach: async ({ page }) => {
        await sendCard(page, number);
        await expect(page.getByText(message)).toBeVisible();
      },
    }),
  ),
  { name: 'bank-confirmation', isWindowOnly: true, open: '/cards', reach: openChallenge },
  ...(
    [
      ['bank-refused', 'Fail', /Your bank couldn’t confirm/],
      ['bank-canceled', 'Cancel', /You canceled/],
      ['bank-closed', 'Close', /window was closed/],
    ] as const
  ).map(
    ([name, button, message]): State => ({
      name,
      open: '/cards',
      reach: async (stage) => {
        await openChallenge(stage);
        await bankChallenge(stage.page).getByRole('button', { name: button }).click();
        await expect(stage.page.getByText(message)).toBeVisible();
      },
    }),
  ),
  ...(
    [
      ['unreachable', 'provider_unavailable'],
      ['trouble', 'internal'],
      ['still-worked-on', 'card_in_flight'],
      ['too-many-declines', 'too_many_declines', { retryAfterSeconds: 600 }],
      ['signed-out-elsewhere', 'authentication_required'],
    ] as [string, ProblemCode, Parameters<typeof respondToCards>[2]?][]
  ).map(
    ([name, type, options]): State => ({
      name,
      open: '/cards',
      reach: async ({ page }) => {
        await respondToCards(page, type, options);
        await sendCard(page, testCards.good);
        await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
      },
    }),
  ),
  {
    name: 'offline',
    open: '/cards',
    reach: async ({ page, context }) => {
      await startCard(page, testCards.good);
      await context.setOffline(true);
      await page.getByRole('button', { name: 'Add card' }).click();
      await expect(page.getByRole('alert').getByText(/We couldn’t reach/)).toBeVisible();
    },
  },
  {
    name: 'added-toast',
    isWindowOnly: true,
    prepare: installClock,
    open: '/cards',
    reach: async ({ page }) => {
      await sendCard(page, testCards.good);
      await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
      await stopClock(page);
    },
  },
];

async function openForm({ page }: Stage): Promise<void> {
  await page.getByRole('link', { name: 'Add a card' }).click();
  await waitForCardFields(page);
}

async function sendCard(page: Stage['page'], number: string): Promise<void> {
  await startCard(page, number);
  await page.getByRole('button', { name: 'Add card' }).click();
}

async function openChallenge({ page }: Stage): Promise<void> {
  await sendCard(page, testCards.confirmed);
  await expect(bankChallenge(page).getByRole('heading')).toBeFocused();
}
