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

async function send({ page, customer }: Stage, secret = customer.apiSecret): Promise<void> {
  await page.goto('/docs/get-the-customer');
  const form = page.getByRole('form', { name: /^Console: / });
  await form.getByLabel('API key').fill(customer.apiKey);
  await form.getByLabel('API secret').fill(secret);
  await form.getByRole('button', { name: /^Send/ }).click();
  await expect(form.getByRole('button', { name: 'Sending…' })).toBeHidden();
  await expect(form.locator('[aria-live] > *')).toBeVisible();
}
