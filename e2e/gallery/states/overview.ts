import { eq } from 'drizzle-orm';
import { cities, customers } from '#db/schema.ts';
import { blockMapScript, comeBackLater, detailPath, holdBack } from '#e2e/dashboard/network-faults.ts';
import { scrollToMap } from '#e2e/dashboard/steps.ts';
import { addTestCard, expect, newEntry, setCardExpiry } from '#e2e/support/fixtures.ts';
import { installClock, type State } from '../state.ts';

export const overviewStates: State[] = [
  { name: 'demo', demo: '/', reach: ({ page }) => scrollToMap(page) },
  { name: 'empty', open: '/' },
  {
    name: 'alerts',
    prepare: async ({ clientOf, db, customer }) => {
      await addTestCard(clientOf(customer));
      await setCardExpiry(db, customer, 1);
      const name = 'The Very Long Name Bakery & Patisserie of Fremont, Incorporated';
      await db.update(customers).set({ name }).where(eq(customers.id, customer.id));
      await db.update(cities).set({ isActive: false }).where(eq(cities.slug, customer.city.slug));
      await newEntry(db, customer, { amountCents: 123_456_789n });
    },
    open: '/',
    reach: async ({ page }) => {
      await expect(page.getByText(/expires at the end of next month/)).toBeVisible();
      await scrollToMap(page);
    },
  },
  {
    name: 'credit-and-expired-card',
    prepare: async ({ clientOf, db, customer }) => {
      await addTestCard(clientOf(customer));
      await setCardExpiry(db, customer, -1);
      await newEntry(db, customer, { kind: 'credit', amountCents: 1_200n });
    },
    open: '/',
  },
  {
    name: 'account-menu',
    isWindowOnly: true,
    open: '/',
    reach: ({ page }) => page.getByRole('button', { name: /^Account: / }).click(),
  },
  {
    name: 'skip-link',
    isWindowOnly: true,
    open: '/',
    reach: ({ page }) => page.getByRole('link', { name: 'Skip to content' }).focus(),
  },
  {
    name: 'page-loading',
    open: '/profile',
    reach: async ({ page }) => {
      await holdBack(page, /\/payout\?_rsc=/);
      await page.getByRole('link', { name: 'Payout', exact: true }).click();
      await expect(page.locator('.page-skeleton')).toBeVisible();
    },
  },
  ...(
    [
      ['out-of-date', 503, 'internal'],
      ['signed-out-elsewhere', 401, 'authentication_required'],
      ['too-many-requests', 429, 'too_many_requests'],
    ] as const
  ).map(
    ([name, status, type]): State => ({
      name,
      prepare: async (stage) => {
        await addTestCard(stage.clientOf(stage.customer));
        await installClock(stage);
      },
      open: '/',
      reach: async ({ page }) => {
        const error = { code: status, message: 'Refused.', type };
        await page.route(detailPath, (route) => route.fulfill({ status, json: { error } }));
        await comeBackLater(page);
        await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
      },
    }),
  ),
  {
    name: 'offline',
    open: '/',
    reach: async ({ page, context }) => {
      await context.setOffline(true);
      await expect(page.getByText('You’re offline.')).toBeVisible();
    },
  },
  {
    name: 'map-script-failed',
    open: '/profile',
    reach: async ({ page }) => {
      await blockMapScript(page);
      await page.goto('/');
      await page.locator('.map').scrollIntoViewIfNeeded();
      await expect(page.getByText(/The map can’t be moved right now/)).toBeVisible();
    },
  },
  { name: 'without-javascript', isWithoutJavaScript: true, open: '/' },
];
