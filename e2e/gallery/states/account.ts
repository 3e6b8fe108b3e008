import { eq } from 'drizzle-orm';
import { customers } from '#db/schema.ts';
import { holdBack } from '#e2e/dashboard/network-faults.ts';
import { signOut, submitCredentials } from '#e2e/dashboard/steps.ts';
import { expect } from '#e2e/support/fixtures.ts';
import { installClock, type Stage, type State, stopClock } from '../state.ts';

const wrongSecret = 'secret_test_wrong';

export const signInStates: State[] = [
  { name: 'first', reach: ({ page }) => page.goto('/sign-in') },
  { name: 'on-the-way', reach: ({ page }) => page.goto('/sign-in?next=%2Fcards') },
  { name: 'signed-out', open: '/', reach: ({ page }) => signOut(page) },
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
    prepare: ({ db, customer }) =>
      db.update(customers).set({ status: 'Suspended' }).where(eq(customers.id, customer.id)),
    reach: (stage) =>
      tryToSignIn(stage, { apiSecret: stage.customer.apiSecret, says: 'Your account is disabled.' }),
  },
  {
    name: 'too-many-attempts',
    prepare: async ({ api, customer }) => {
      const wrong = { ...customer, apiSecret: wrongSecret };
      for (let guess = 0; guess < 31; guess++) {
        await api('GET', '/schedule/v1/customers/detail', { as: wrong });
      }
    },
    reach: (stage) => tryToSignIn(stage, { says: /^Too many failed sign-in attempts/ }),
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

export const apiAccessStates: State[] = [
  { name: 'demo', demo: '/api-access' },
  {
    name: 'key-shown',
    demo: '/api-access',
    reach: ({ page }) => page.getByRole('button', { name: 'Show the API key' }).click(),
  },
  {
    name: 'copied-toast',
    isWindowOnly: true,
    prepare: installClock,
    demo: '/api-access',
    reach: async ({ page, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy API key' }).click();
      await expect(page.getByText('API key copied.')).toBeVisible();
      await stopClock(page);
    },
  },
  {
    name: 'clipboard-blocked',
    prepare: ({ page }) =>
      page.addInitScript(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error('Not allowed.'));
      }),
    demo: '/api-access',
    reach: async ({ page }) => {
      await page.getByRole('button', { name: 'Copy API key' }).click();
      await page.getByRole('button', { name: /^Copy “Get your account with curl/ }).click();
      await expect(page.getByText(/Your browser blocked copying/).first()).toBeVisible();
    },
  },
  {
    name: 'wrong-secret',
    open: '/api-access',
    reach: ({ page }) => rotate(page, wrongSecret, 'This isn’t your API secret.'),
  },
  {
    name: 'secret-rotated',
    open: '/api-access',
    reach: ({ page, customer }) => rotate(page, customer.apiSecret, 'This is your new API secret.'),
  },
  { name: 'without-javascript', isWithoutJavaScript: true, demo: '/api-access' },
];

export const profileStates: State[] = [
  { name: 'demo', demo: '/profile' },
  {
    name: 'unconfirmed-email-and-long-names',
    prepare: async ({ db, customer }) => {
      const values = {
        name: 'The Very Long Name Bakery & Patisserie of Fremont, Incorporated',
        email: 'accounts-payable.deliveries@the-very-long-name-bakery-and-patisserie.example.com',
        isEmailConfirmed: false,
      };
      await db.update(customers).set(values).where(eq(customers.id, customer.id));
    },
    open: '/profile',
  },
];

type Attempt = { apiKey?: string; apiSecret?: string; says: string | RegExp };

async function tryToSignIn({ page, customer }: Stage, { says, ...credentials }: Attempt): Promise<void> {
  await page.goto('/sign-in');
  await submitCredentials(page, { apiKey: customer.apiKey, apiSecret: wrongSecret, ...credentials });
  await expect(page.getByText(says)).toBeVisible();
}

async function rotate(page: Stage['page'], secret: string, says: string): Promise<void> {
  await page.getByLabel('Current API secret').fill(secret);
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await expect(page.getByText(says)).toBeVisible();
}
