import { cardScript, holdBack, respondToCards } from '#e2e/dashboard/network-faults.ts';
import {
  bankChallenge,
  cardFields,
  cardsPath,
  fillCard,
  sendEmptyForm,
  signIn,
  startCard,
  testCards,
  waitForCardFields,
} from '#e2e/dashboard/steps.ts';
import { expect } from '#e2e/support/fixtures.ts';
import type { ProblemCode } from '#src/errors.ts';
import type { Stage, State } from '../state.ts';

export const cardFormStates: State[] = [
  {
    name: 'loading',
    reach: async ({ page, customer }) => {
      await page.clock.install();
      await signIn(page, customer, '/cards');
      await holdBack(page, cardScript);
      await page.getByRole('link', { name: 'Add a card' }).click();
      await expect(page.getByText('Loading the card form')).toBeAttached();
      // Stops the timeout for the form.
      await page.clock.pauseAt(Date.now() + 1_000);
    },
  },
  {
    name: 'script-blocked',
    reach: async ({ page, customer }) => {
      await signIn(page, customer, '/cards');
      await page.route(cardScript, (route) => route.abort());
      await page.getByRole('link', { name: 'Add a card' }).click();
      await expect(page.getByText('The card form didn’t load.')).toBeVisible();
    },
  },
  { name: 'open', reach: (stage) => openForm(stage) },
  {
    name: 'filled',
    reach: async (stage) => {
      await openForm(stage);
      await fillCard(stage.page, testCards.good);
    },
  },
  {
    name: 'other-country',
    reach: async (stage) => {
      await openForm(stage);
      await stage.page.getByLabel('Billing country').selectOption('NL');
    },
  },
  {
    name: 'invalid-number',
    reach: async (stage) => {
      await openForm(stage);
      await cardFields(stage.page).number.pressSequentially('4242424242424241');
      await expect(stage.page.getByText('Your card number is invalid.')).toBeVisible();
    },
  },
  {
    name: 'required-fields',
    reach: async (stage) => {
      await openForm(stage);
      await sendEmptyForm(stage.page);
    },
  },
  {
    name: 'submitting',
    reach: async (stage) => {
      await holdBack(stage.page, cardsPath);
      await sendCard(stage, testCards.good);
      await expect(stage.page.getByRole('button', { name: 'Adding card…' })).toBeVisible();
    },
  },
  { name: 'declined', reach: (stage) => sendCard(stage, testCards.declined, /Your bank declined/) },
  { name: 'wrong-code', reach: (stage) => sendCard(stage, '4000000000000127', /security code \(CVC\) isn/) },
  { name: 'no-funds', reach: (stage) => sendCard(stage, '4000000000009995', /enough funds/) },
  { name: 'bank-confirmation', isWindowOnly: true, reach: openChallenge },
  ...(
    [
      ['bank-refused', 'Fail', /Your bank couldn’t confirm/],
      ['bank-canceled', 'Cancel', /You canceled/],
      ['bank-closed', 'Close', /window was closed/],
    ] as const
  ).map(([name, button, message]) => ({
    name,
    reach: async (stage: Stage) => {
      await openChallenge(stage);
      await bankChallenge(stage.page).getByRole('button', { name: button }).click();
      await expect(stage.page.getByText(message)).toBeVisible();
    },
  })),
  { name: 'unreachable', reach: (stage) => submitAndFail(stage, 'provider_unavailable') },
  { name: 'trouble', reach: (stage) => submitAndFail(stage, 'internal') },
  { name: 'still-worked-on', reach: (stage) => submitAndFail(stage, 'card_in_flight') },
  {
    name: 'too-many-declines',
    reach: (stage) => submitAndFail(stage, 'too_many_declines', { retryAfterSeconds: 600 }),
  },
  { name: 'signed-out-elsewhere', reach: (stage) => submitAndFail(stage, 'authentication_required') },
  {
    name: 'offline',
    reach: async (stage) => {
      await openForm(stage);
      await fillCard(stage.page, testCards.good);
      await stage.context.setOffline(true);
      await stage.page.getByRole('button', { name: 'Add card' }).click();
      await expect(stage.page.getByRole('alert').getByText(/We couldn’t reach/)).toBeVisible();
    },
  },
  {
    name: 'added-toast',
    isWindowOnly: true,
    reach: async (stage) => {
      const { page } = stage;
      await page.clock.install();
      await sendCard(stage, testCards.good, 'Visa ending in 4242 was added.');
      // Keeps the toast until the last picture.
      await page.clock.pauseAt(Date.now() + 1_000);
    },
  },
];

async function openForm({ page, customer }: Stage): Promise<void> {
  await signIn(page, customer, '/cards');
  await page.getByRole('link', { name: 'Add a card' }).click();
  await waitForCardFields(page);
}

async function sendCard({ page, customer }: Stage, number: string, says?: RegExp | string): Promise<void> {
  await signIn(page, customer, '/cards');
  await startCard(page, number);
  await page.getByRole('button', { name: 'Add card' }).click();
  if (says) await expect(page.getByText(says)).toBeVisible();
}

async function openChallenge(stage: Stage): Promise<void> {
  await sendCard(stage, testCards.confirmed);
  await expect(bankChallenge(stage.page).getByRole('heading')).toBeFocused();
}

async function submitAndFail(
  stage: Stage,
  type: ProblemCode,
  options?: Parameters<typeof respondToCards>[2],
): Promise<void> {
  await respondToCards(stage.page, type, options);
  await sendCard(stage, testCards.good);
  await expect(stage.page.getByRole('main').getByRole('alert')).toBeVisible();
}
