import { chromium, type Page } from '@playwright/test';
import { type Credentials, submitCredentials } from '#e2e/dashboard/sign-in-form.ts';
import { quietBrowserArguments } from '#tools/browser.ts';

/**
 * Signs in with a browser of its own, which is closed again.
 * @param browserPath of the Chromium to use, as `findOrInstallBrowser` gives it
 */
export async function withSignedInPage<Result>(
  baseUrl: string,
  credentials: Credentials,
  browserPath: string,
  use: (page: Page) => Promise<Result>,
): Promise<Result> {
  const browser = await chromium.launch({ executablePath: browserPath, args: quietBrowserArguments });
  try {
    const page = await browser.newPage();
    await page.goto(`${baseUrl}/sign-in`);
    await submitCredentials(page, credentials);
    await page.waitForURL(`${baseUrl}/`);
    return await use(page);
  } finally {
    await browser.close();
  }
}
