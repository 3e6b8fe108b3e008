import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { Page } from '@playwright/test';
import { submitCredentials } from './sign-in-form.ts';

/** Signs in as the customer of the demo that the service loaded when it was first started. */
export async function signInToDemo(page: Page, dataDir = process.env.E2E_DATA_DIR ?? ''): Promise<void> {
  const file = path.join(dataDir, 'demo.env');
  const { API_KEY = '', API_SECRET = '' } = parseEnv(await readFile(file, 'utf8'));
  await page.goto('/sign-in');
  await submitCredentials(page, { apiKey: API_KEY, apiSecret: API_SECRET });
  await page.waitForURL('/');
}
