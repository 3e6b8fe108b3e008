/** app/global-error.tsx, shown when the error page itself fails. */
import { expect, test } from '../support/fixtures.ts';
import { expectCleanPage } from './expect-clean-page.ts';
import { loseErrorPageScript, pageScripts } from './network-faults.ts';

test.use({ expectedFaults: [/Failed to load resource|^ChunkLoadError/] });

for (const width of [320, 1280]) {
  test.describe(`${width} px`, () => {
    test.use({ viewport: { width, height: 640 } });

    test("global error: shows the message in the app's style, and retry loads the page", async ({ page }) => {
      await loseErrorPageScript(page);
      await page.goto('/sign-in');
      const heading = page.getByRole('heading', { name: 'This page didn’t load' });
      await expect(heading).toBeFocused();
      await expect(page).toHaveTitle('This page didn’t load');
      await expect(page.getByText(/^Something went wrong in your browser\. .* are safe\.$/)).toBeVisible();
      await expect(heading).toHaveCSS('font-family', /geistSans/);
      await expectCleanPage(page);

      await page.getByRole('button', { name: 'Try again' }).click();
      await expect(heading).toBeFocused();
      await page.unroute(pageScripts);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('button', { name: 'Show the secret' }).click();
      await expect(page).toHaveTitle(/^Sign in/);
    });
  });
}
