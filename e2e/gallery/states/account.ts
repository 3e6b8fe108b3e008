import { eq } from 'drizzle-orm';
import { customers } from '#db/schema.ts';
import { signInToDemo } from '#e2e/dashboard/sign-in-form.ts';
import { signIn } from '#e2e/dashboard/steps.ts';
import { expect } from '#e2e/support/fixtures.ts';
import type { Stage, State } from '../state.ts';

export const apiAccessStates: State[] = [
  { name: 'demo', reach: (stage) => openDemo(stage, '/api-access') },
  {
    name: 'key-shown',
    reach: async (stage) => {
      await openDemo(stage, '/api-access');
      await stage.page.getByRole('button', { name: 'Show the API key' }).click();
    },
  },
  {
    name: 'copied-toast',
    isWindowOnly: true,
    reach: async (stage) => {
      const { page, context } = stage;
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.clock.install();
      await openDemo(stage, '/api-access');
      await page.getByRole('button', { name: 'Copy API key' }).click();
      await expect(page.getByText('API key copied.')).toBeVisible();
      // Keeps the toast until the last picture.
      await page.clock.pauseAt(Date.now() + 1_000);
    },
  },
  {
    name: 'clipboard-blocked',
    reach: async (stage) => {
      await stage.page.addInitScript(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error('Not allowed.'));
      });
      await openDemo(stage, '/api-access');
      await stage.page.getByRole('button', { name: 'Copy API key' }).click();
      await stage.page.getByRole('button', { name: /^Copy “Get your account with curl/ }).click();
      await expect(stage.page.getByText(/Your browser blocked copying/).first()).toBeVisible();
    },
  },
  {
    name: 'wrong-secret',
    reach: (stage) => rotate(stage, 'secret_test_wrong', 'This isn’t your API secret.'),
  },
  {
    name: 'secret-rotated',
    reach: (stage) => rotate(stage, stage.customer.apiSecret, 'This is your new API secret.'),
  },
  {
    name: 'without-javascript',
    isWithoutJavaScript: true,
    reach: (stage) => openDemo(stage, '/api-access'),
  },
];

export const profileStates: State[] = [
  { name: 'demo', reach: (stage) => openDemo(stage, '/profile') },
  {
    name: 'unconfirmed-email-and-long-names',
    reach: async ({ page, db, customer }) => {
      const values = {
        name: 'The Very Long Name Bakery & Patisserie of Fremont, Incorporated',
        email: 'accounts-payable.deliveries@the-very-long-name-bakery-and-patisserie.example.com',
        isEmailConfirmed: false,
      };
      await db.update(customers).set(values).where(eq(customers.id, customer.id));
      await signIn(page, customer, '/profile');
    },
  },
];

async function openDemo({ page }: Stage, path: string): Promise<void> {
  await signInToDemo(page);
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
}

async function rotate({ page, customer }: Stage, secret: string, says: string): Promise<void> {
  await signIn(page, customer, '/api-access');
  await page.getByLabel('Current API secret').fill(secret);
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await expect(page.getByText(says)).toBeVisible();
}
