import { eq } from 'drizzle-orm';
import { cities } from '#db/schema.ts';
import { loseErrorPageScript } from '#e2e/dashboard/network-faults.ts';
import { expect } from '#e2e/support/fixtures.ts';
import type { Stage, State } from '../state.ts';

export const consoleStates: State[] = [
  { name: 'console-response', reach: (stage) => send(stage) },
  { name: 'console-refusal', reach: (stage) => send(stage, 'secret_test_wrong') },
  {
    name: 'console-unreachable',
    reach: async (stage) => {
      await stage.page.route('**/schedule/v1/**', (route) => route.abort());
      await send(stage);
      await expect(stage.page.getByText('We couldn’t reach the service.')).toBeVisible();
    },
  },
  {
    name: 'page-list-open',
    reach: async ({ page }) => {
      await page.setViewportSize({ width: 375, height: 812 });
      await page.goto('/docs');
      await page.getByText('All pages').click();
    },
  },
];

export const errorStates: State[] = [
  { name: 'not-found', reach: ({ page }) => page.goto('/no-such-page') },
  { name: 'not-found-in-docs', reach: ({ page }) => page.goto('/docs/no-such-page') },
  ...(
    [
      ['page', { polygonPoints: '[]' }],
      // An unknown time zone makes the layout fail too.
      ['layout', { timezone: 'Nowhere/Else' }],
    ] as const
  ).flatMap(([name, broken]): State[] => {
    const state = { open: '/profile', reach: (stage: Stage) => breakPage(stage, broken) };
    return [
      { name, ...state },
      { name: `${name}-without-javascript`, isWithoutJavaScript: true, ...state },
    ];
  }),
  {
    name: 'global-error',
    reach: async ({ page }) => {
      await loseErrorPageScript(page);
      await page.goto('/sign-in');
      await expect(page.getByText(/^Something went wrong in your browser/)).toBeVisible();
    },
  },
];

async function send({ page, customer }: Stage, secret = customer.apiSecret): Promise<void> {
  await page.goto('/docs/get-the-customer#console');
  const form = page.getByRole('form', { name: /^Console: / });
  await form.getByLabel('API key').fill(customer.apiKey);
  await form.getByLabel('API secret').fill(secret);
  await form.getByRole('button', { name: /^Send/ }).click();
  await expect(form.getByRole('button', { name: 'Sending…' })).toBeHidden();
  await expect(form.locator('[aria-live] > *')).toBeVisible();
}

/** Opens a page that fails on the server, because of data that no import accepts. */
async function breakPage(
  { page, db, customer }: Stage,
  broken: { polygonPoints?: string; timezone?: string },
): Promise<void> {
  await db.update(cities).set(broken).where(eq(cities.slug, customer.city.slug));
  await page.goto('/service-area');
  await expect(page.getByRole('heading', { name: 'This page didn’t load' })).toBeVisible();
}
