import { expect, newEntry } from '#e2e/support/fixtures.ts';
import type { Stage, State } from '../state.ts';

export const payoutStates: State[] = [
  { name: 'demo', demo: '/payout' },
  {
    name: 'tables-open',
    demo: '/payout',
    reach: async ({ page }) => {
      for (const name of ['Balance by day', 'Balance and statement by month'])
        await page.getByText(name).click();
    },
  },
  {
    name: 'second-page',
    demo: '/payout',
    reach: async ({ page }) => {
      await page.getByRole('link', { name: 'Older' }).click();
      await expect(page.getByRole('link', { name: 'Newer' })).toBeVisible();
    },
  },
  { name: 'narrowed-down', demo: '/payout?type=payment' },
  { name: 'no-match', demo: '/payout?search=nothing+like+it' },
  { name: 'print', demo: '/payout', reach: ({ page }) => page.emulateMedia({ media: 'print' }) },
  { name: 'statement', demo: '/payout', reach: openStatement },
  {
    name: 'statement-print',
    demo: '/payout',
    reach: async (stage) => {
      await openStatement(stage);
      await stage.page.emulateMedia({ media: 'print' });
    },
  },
  { name: 'empty', open: '/payout' },
  {
    name: 'credit',
    prepare: ({ db, customer }) => newEntry(db, customer, { kind: 'credit', amountCents: 1_200n }),
    open: '/payout',
  },
  {
    name: 'large-amounts-and-scheduled',
    prepare: async ({ db, customer }) => {
      await newEntry(db, customer, { amountCents: 123_456_789n });
      const takesEffectAt = new Date(Date.now() + 60 * 60_000);
      await newEntry(db, customer, { amountCents: 98_765_432n, takesEffectAt });
    },
    open: '/payout',
  },
  { name: 'without-javascript', isWithoutJavaScript: true, demo: '/payout' },
];

async function openStatement({ page }: Stage): Promise<void> {
  await page.getByRole('link', { name: 'View statement' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /^Statement for / })).toBeVisible();
}
