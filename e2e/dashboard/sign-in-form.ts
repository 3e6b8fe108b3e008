import type { Page } from '@playwright/test';

export type Credentials = { apiKey: string; apiSecret: string };

/** Fills the form of the sign-in page, which is open already, and sends it. */
export async function submitCredentials(page: Page, { apiKey, apiSecret }: Credentials): Promise<void> {
  await page.getByLabel('API key').fill(apiKey);
  await page.getByLabel('API secret', { exact: true }).fill(apiSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
