import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cities } from '#db/schema.ts';
import { expect, requestLogLines, type TestCustomer, test } from '../support/fixtures.ts';
import { signIn } from './steps.ts';

// The browser reports the response, and React reports that rendering failed on the server (error 441).
test.use({ expectedFaults: [/status of 500|React error #441/] });

/** An invalid polygon, which makes the page fail on the server. No import accepts it. */
async function setPolygon(db: Database, { city }: TestCustomer, polygonPoints: string): Promise<void> {
  await db.update(cities).set({ polygonPoints }).where(eq(cities.slug, city.slug));
}

/** @returns the loaded fonts */
async function lettersOnPage(): Promise<string[]> {
  const fonts = await document.fonts.ready;
  return [...fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family);
}

const square = '[[37.4,-122.2],[37.4,-122],[37.6,-122],[37.4,-122.2]]';

for (const javaScriptEnabled of [true, false]) {
  // Without JavaScript, our host adds the message.
  const tag = javaScriptEnabled ? [] : '@host';
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', { tag }, () => {
    test.use({ javaScriptEnabled });

    test('server error: shows a message, and retry loads the page', async ({ page, customer, db }) => {
      await signIn(page, customer, '/profile');
      await setPolygon(db, customer, '[]');
      const response = await page.goto('/service-area');
      expect(response?.status()).toBe(500);
      await expect(page.getByRole('heading', { name: 'This page didn’t load' })).toBeVisible();
      await expect(page.getByText(/Your cards, balance, and keys are safe/)).toBeVisible();
      if (javaScriptEnabled) {
        const message = await page
          .getByText(/contact support \(\S+\) and include this ID: \d+$/)
          .textContent();
        const lines = await requestLogLines(message?.match(/\d+$/)?.[0]);
        expect(lines[0]).toMatchObject({
          level: 'error',
          operation: expect.stringMatching(/^page .*service-area/),
          method: 'GET',
          status: 500,
          error: { type: expect.any(String), stack: expect.any(Array) },
        });
      } else {
        expect(await page.evaluate(lettersOnPage)).toContain('geistSans');
        const markWidth = await page.locator('img').evaluate((mark: HTMLImageElement) => mark.naturalWidth);
        expect(markWidth).toBeGreaterThan(0);
        await expect(page.getByRole('link', { name: 'Try again' })).toHaveCSS('align-items', 'center');
      }
      await setPolygon(db, customer, square);
      await page.getByRole(javaScriptEnabled ? 'button' : 'link', { name: 'Try again' }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'Service area' })).toBeVisible();
    });
  });
}
