import { eq } from 'drizzle-orm';
import { cities } from '#db/schema.ts';
import { loseErrorPageScript } from '#e2e/dashboard/network-faults.ts';
import { signIn } from '#e2e/dashboard/steps.ts';
import { expect } from '#e2e/support/fixtures.ts';
import type { Stage, State } from '../state.ts';

export const errorStates: State[] = [
  { name: 'not-found', reach: async ({ page }) => void (await page.goto('/no-such-page')) },
  { name: 'not-found-in-docs', reach: async ({ page }) => void (await page.goto('/docs/no-such-page')) },
  { name: 'page', reach: (stage) => breakPage(stage, { polygonPoints: '[]' }) },
  {
    name: 'page-without-javascript',
    isWithoutJavaScript: true,
    reach: (stage) => breakPage(stage, { polygonPoints: '[]' }),
  },
  // An unknown time zone makes the layout fail too.
  { name: 'layout', reach: (stage) => breakPage(stage, { timezone: 'Nowhere/Else' }) },
  {
    name: 'layout-without-javascript',
    isWithoutJavaScript: true,
    reach: (stage) => breakPage(stage, { timezone: 'Nowhere/Else' }),
  },
  {
    name: 'global-error',
    reach: async ({ page }) => {
      await loseErrorPageScript(page);
      await page.goto('/sign-in');
      await expect(page.getByText(/^Something went wrong in your browser/)).toBeVisible();
    },
  },
];

/** Opens a page that fails on the server, because of data that no import accepts. */
async function breakPage(
  { page, db, customer }: Stage,
  broken: { polygonPoints?: string; timezone?: string },
): Promise<void> {
  await signIn(page, customer, '/profile');
  await db.update(cities).set(broken).where(eq(cities.slug, customer.city.slug));
  await page.goto('/service-area');
  await expect(page.getByRole('heading', { name: 'This page didn’t load' })).toBeVisible();
}
