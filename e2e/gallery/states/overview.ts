import { eq } from 'drizzle-orm';
import { cities, customers } from '#db/schema.ts';
import { blockMapScript, comeBackLater, detailPath, holdBack } from '#e2e/dashboard/network-faults.ts';
import { signInToDemo } from '#e2e/dashboard/sign-in-form.ts';
import { addCardByApi, scrollToMap, signIn } from '#e2e/dashboard/steps.ts';
import { expect, newEntry, setCardExpiry } from '#e2e/support/fixtures.ts';
import type { Stage, State } from '../state.ts';

export const overviewStates: State[] = [
  {
    name: 'demo',
    reach: async ({ page }) => {
      await signInToDemo(page);
      await scrollToMap(page);
    },
  },
  { name: 'empty', reach: async ({ page, customer }) => signIn(page, customer) },
  {
    name: 'alerts',
    reach: async ({ page, api, db, customer }) => {
      await addCardByApi(api, customer);
      await setCardExpiry(db, customer, 1);
      const name = 'The Very Long Name Bakery & Patisserie of Fremont, Incorporated';
      await db.update(customers).set({ name }).where(eq(customers.id, customer.id));
      await db.update(cities).set({ isActive: false }).where(eq(cities.slug, customer.city.slug));
      await newEntry(db, customer, { amountCents: 123_456_789n });
      await signIn(page, customer);
      await expect(page.getByText(/expires at the end of next month/)).toBeVisible();
      await scrollToMap(page);
    },
  },
  {
    name: 'credit-and-expired-card',
    reach: async ({ page, api, db, customer }) => {
      await addCardByApi(api, customer);
      await setCardExpiry(db, customer, -1);
      await newEntry(db, customer, { kind: 'credit', amountCents: 1_200n });
      await signIn(page, customer);
    },
  },
  {
    name: 'account-menu',
    isWindowOnly: true,
    reach: async ({ page, customer }) => {
      await signIn(page, customer);
      await page.getByRole('button', { name: /^Account: / }).click();
    },
  },
  {
    name: 'skip-link',
    isWindowOnly: true,
    reach: async ({ page, customer }) => {
      await signIn(page, customer);
      await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
      await page.getByRole('link', { name: 'Skip to content' }).focus();
    },
  },
  {
    name: 'page-loading',
    reach: async ({ page, customer }) => {
      await signIn(page, customer, '/profile');
      await holdBack(page, /\/payout\?_rsc=/);
      await page.getByRole('link', { name: 'Payout', exact: true }).click();
      await expect(page.locator('.page-skeleton')).toBeVisible();
    },
  },
  { name: 'out-of-date', reach: (stage) => failRefresh(stage, 503) },
  { name: 'signed-out-elsewhere', reach: (stage) => failRefresh(stage, 401) },
  { name: 'too-many-requests', reach: (stage) => failRefresh(stage, 429) },
  {
    name: 'offline',
    reach: async ({ page, context, customer }) => {
      await signIn(page, customer);
      await context.setOffline(true);
      await expect(page.getByText('You’re offline.')).toBeVisible();
    },
  },
  {
    name: 'map-script-failed',
    reach: async ({ page, customer }) => {
      await signIn(page, customer, '/profile');
      await blockMapScript(page);
      await page.goto('/');
      await page.locator('.map').scrollIntoViewIfNeeded();
      await expect(page.getByText(/The map can’t be moved right now/)).toBeVisible();
    },
  },
  {
    name: 'without-javascript',
    isWithoutJavaScript: true,
    reach: async ({ page, customer }) => signIn(page, customer),
  },
];

/** Makes the page's refresh fail. */
async function failRefresh({ page, api, customer }: Stage, status: number): Promise<void> {
  await addCardByApi(api, customer);
  await page.clock.install();
  await signIn(page, customer);
  const type = { 401: 'authentication_required', 429: 'too_many_requests' }[status] ?? 'internal';
  const error = { code: status, message: 'Refused.', type };
  await page.route(detailPath, (route) => route.fulfill({ status, json: { error } }));
  await comeBackLater(page);
  await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
}
