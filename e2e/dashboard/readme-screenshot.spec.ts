import { existsSync } from 'node:fs';
import { expect, test } from '../support/fixtures.ts';
import { scrollToMap, signInToDemo } from './steps.ts';

const picture = 'docs/images/overview.png';

test.use({ viewport: { width: 1280, height: 1400 }, deviceScaleFactor: 2 });

/** UPDATE_SCREENSHOTS=1 retakes the picture. The demo's amounts depend on the date. */
test("README screenshot: shows the demo's overview", async ({ page }) => {
  await signInToDemo(page);
  const owed = page.getByRole('region', { name: 'Balance due' });
  await expect(owed.getByText(/^\$[\d,]+\.\d\d$/)).toBeVisible();
  await expect(page.getByRole('region', { name: 'Cards' }).getByText('Default')).toBeVisible();
  await scrollToMap(page);
  await page.evaluate(() => scrollTo(0, 0));
  await page.evaluate(() => document.fonts.ready);
  if (process.env.UPDATE_SCREENSHOTS) await page.screenshot({ path: picture, animations: 'disabled' });
  expect(existsSync(picture), `${picture} is missing`).toBe(true);
});
