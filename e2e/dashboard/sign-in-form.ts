import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { Page } from '@playwright/test';

export type Credentials = { apiKey: string; apiSecret: string };

/** Fills and submits the form of the open sign-in page. */
export async function submitCredentials(page: Page, { apiKey, apiSecret }: Credentials): Promise<void> {
  await page.getByLabel('API key').fill(apiKey);
  await page.getByLabel('API secret', { exact: true }).fill(apiSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in as the demo customer of a service. */
export async function signInToDemo(page: Page, dataDir = process.env.E2E_DATA_DIR ?? ''): Promise<void> {
  const file = path.join(dataDir, 'demo.env');
  const { API_KEY = '', API_SECRET = '' } = parseEnv(await readFile(file, 'utf8'));
  await page.goto('/sign-in');
  await submitCredentials(page, { apiKey: API_KEY, apiSecret: API_SECRET });
  await page.waitForURL('/');
}
