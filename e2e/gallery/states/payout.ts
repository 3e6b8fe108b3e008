import { signInToDemo } from '#e2e/dashboard/sign-in-form.ts';
import { signIn } from '#e2e/dashboard/steps.ts';
import { expect, newEntry } from '#e2e/support/fixtures.ts';
import type { Stage, State } from '../state.ts';

export const payoutStates: State[] = [
  { name: 'demo', reach: (stage) => openDemo(stage) },
  {
    name: 'tables-open',
    reach: async (stage) => {
      await openDemo(stage);
      for (const name of ['Balance by day', 'Balance and statement by month'])
        await stage.page.getByText(name).click();
    },
  },
  {
    name: 'second-page',
    reach: async (stage) => {
      await openDemo(stage);
      await stage.page.getByRole('link', { name: 'Older' }).click();
      await expect(stage.page.getByRole('link', { name: 'Newer' })).toBeVisible();
    },
  },
  { name: 'narrowed-down', reach: (stage) => openDemo(stage, '?type=payment') },
  { name: 'no-match', reach: (stage) => openDemo(stage, '?search=nothing+like+it') },
  {
    name: 'print',
    reach: async (stage) => {
      await openDemo(stage);
      await stage.page.emulateMedia({ media: 'print' });
    },
  },
  { name: 'statement', reach: openStatement },
  {
    name: 'statement-print',
    reach: async (stage) => {
      await openStatement(stage);
      await stage.page.emulateMedia({ media: 'print' });
    },
  },
  { name: 'empty', reach: async ({ page, customer }) => signIn(page, customer, '/payout') },
  {
    name: 'credit',
    reach: async ({ page, db, customer }) => {
      await newEntry(db, customer, { kind: 'credit', amountCents: 1_200n });
      await signIn(page, customer, '/payout');
    },
  },
  {
    name: 'large-amounts-and-scheduled',
    reach: async ({ page, db, customer }) => {
      await newEntry(db, customer, { amountCents: 123_456_789n });
      const takesEffectAt = new Date(Date.now() + 60_000);
      await newEntry(db, customer, { amountCents: 98_765_432n, takesEffectAt });
      await signIn(page, customer, '/payout');
    },
  },
  {
    name: 'without-javascript',
    isWithoutJavaScript: true,
    reach: (stage) => openDemo(stage),
  },
];

async function openDemo({ page }: Stage, query = ''): Promise<void> {
  await signInToDemo(page);
  await page.goto(`/payout${query}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Payout' })).toBeVisible();
}

async function openStatement(stage: Stage): Promise<void> {
  await openDemo(stage);
  await stage.page.getByRole('link', { name: 'View statement' }).click();
  await expect(stage.page.getByRole('heading', { level: 1, name: /^Statement for / })).toBeVisible();
}
