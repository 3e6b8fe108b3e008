import { eq } from 'drizzle-orm';
import { customers } from '#db/schema.ts';
import { holdBack } from '#e2e/dashboard/network-faults.ts';
import { submitCredentials } from '#e2e/dashboard/sign-in-form.ts';
import { signIn, signOut } from '#e2e/dashboard/steps.ts';
import { expect } from '#e2e/support/fixtures.ts';
import type { Stage, State } from '../state.ts';

const wrongSecret = 'secret_test_wrong';

export const signInStates: State[] = [
  { name: 'first', reach: async ({ page }) => void (await page.goto('/sign-in')) },
  { name: 'on-the-way', reach: async ({ page }) => void (await page.goto('/sign-in?next=%2Fcards')) },
  {
    name: 'signed-out',
    reach: async ({ page, customer }) => {
      await signIn(page, customer);
      await signOut(page);
    },
  },
  {
    name: 'required-fields',
    reach: async ({ page }) => {
      await page.goto('/sign-in');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByText('Enter your API key.')).toBeVisible();
    },
  },
  {
    name: 'unknown-key',
    reach: (stage) =>
      tryToSignIn(stage, { apiKey: 'key_test_unknown', says: 'We don’t recognize this API key.' }),
  },
  {
    name: 'wrong-secret',
    reach: (stage) => tryToSignIn(stage, { says: 'This API secret doesn’t match this API key.' }),
  },
  {
    name: 'disabled',
    reach: async (stage) => {
      const { db, customer } = stage;
      await db.update(customers).set({ status: 'Suspended' }).where(eq(customers.id, customer.id));
      const { apiSecret } = customer;
      await tryToSignIn(stage, { apiSecret, says: 'Your account is disabled.' });
    },
  },
  {
    name: 'too-many-attempts',
    reach: async (stage) => {
      const wrong = { ...stage.customer, apiSecret: wrongSecret };
      for (let guess = 0; guess < 31; guess++) {
        await stage.api('GET', '/schedule/v1/customers/detail', { as: wrong });
      }
      await tryToSignIn(stage, { says: /^Too many failed sign-in attempts/ });
    },
  },
  {
    name: 'submitting',
    reach: async ({ page, customer }) => {
      await page.goto('/sign-in');
      await holdBack(page, '**/sign-in');
      await submitCredentials(page, customer);
      await expect(page.getByRole('button', { name: 'Signing in…' })).toBeVisible();
    },
  },
  {
    name: 'secret-shown',
    reach: async ({ page, customer }) => {
      await page.goto('/sign-in');
      await page.getByLabel('API secret', { exact: true }).fill(customer.apiSecret);
      await page.getByRole('button', { name: 'Show the secret' }).click();
    },
  },
  {
    name: 'without-javascript',
    isWithoutJavaScript: true,
    reach: (stage) => tryToSignIn(stage, { says: 'This API secret doesn’t match this API key.' }),
  },
];

type Try = { apiKey?: string; apiSecret?: string; says: string | RegExp };

async function tryToSignIn({ page, customer }: Stage, { says, ...credentials }: Try): Promise<void> {
  await page.goto('/sign-in');
  await submitCredentials(page, { apiKey: customer.apiKey, apiSecret: wrongSecret, ...credentials });
  await expect(page.getByText(says)).toBeVisible();
}
