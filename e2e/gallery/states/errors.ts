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
    name: 'page-without-scripts',
    isWithoutScripts: true,
    reach: (stage) => breakPage(stage, { polygonPoints: '[]' }),
  },
  // A zone that no database knows: the frame itself cannot be made.
  { name: 'frame', reach: (stage) => breakPage(stage, { timezone: 'Nowhere/Else' }) },
  {
    name: 'frame-without-scripts',
    isWithoutScripts: true,
    reach: (stage) => breakPage(stage, { timezone: 'Nowhere/Else' }),
  },
  {
    name: 'last-resort',
    reach: async ({ page }) => {
      await loseErrorPageScript(page);
      await page.goto('/sign-in');
      await expect(page.getByText(/^Part of the page didn’t load/)).toBeVisible();
    },
  },
];

/** The city's record is made such that no import would let it through. */
async function breakPage(
  { page, db, customer }: Stage,
  broken: { polygonPoints?: string; timezone?: string },
): Promise<void> {
  await signIn(page, customer, '/profile');
  await db.update(cities).set(broken).where(eq(cities.slug, customer.city.slug));
  await page.goto('/service-area');
  await expect(page.getByRole('heading', { name: 'This page didn’t load' })).toBeVisible();
}
