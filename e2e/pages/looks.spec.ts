/**
 * How the pages look, against pictures in `looks`, beside this file. After a change that is meant:
 * `npx playwright test --project=pages looks --update-snapshots`, and look at what has changed.
 */
import type { Page } from '@playwright/test';
import { Temporal } from 'temporal-polyfill';
import { updateCustomer } from '#domain/customers/update-customer.ts';
import { addEntry } from '#domain/ledger/add-entry.ts';
import { expect, test } from '../fixtures.ts';
import { steadyPicture } from './steady.ts';
import { addCardByApi, signIn, waitForCardFields } from './steps.ts';

const sizes = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 } };

/** Half of what a word of a small link covers, far more than another build of the browser changes. */
const tolerance = { threshold: 0.05, maxDiffPixels: 20 };

test.use({ expectedFaults: [/status of 404.*no-such-page/] });

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [size, viewport] of Object.entries(sizes)) {
    test.describe(`${colorScheme}, ${size}`, () => {
      test.use({ colorScheme, viewport });

      const compare = async (page: Page, name: string, replaced: [RegExp, string][] = []) => {
        const hidden = ['[role=img][aria-label*=balance]', 'iframe', '.leaflet-container'].map((part) =>
          page.locator(part),
        );
        const picture = await steadyPicture(page, { hidden, replaced });
        expect.soft(picture).toMatchSnapshot(`${name}-${size}-${colorScheme}.png`, tolerance);
      };

      test('signed-in pages look as they did', async ({ page, customer, api, db }) => {
        test.slow();
        const context = { db, actor: 'tests' };
        const { username } = customer;
        await updateCustomer(context, { username, name: 'Harbor Street Bakery' });
        for (const [index, cents] of [128_450n, 2_300n, 699n].entries()) {
          const takesEffectAt = evening(index + 1);
          const entry = { username, kind: 'delivery' as const, amountCents: cents, takesEffectAt };
          await addEntry(context, { ...entry, description: 'To Cannery Row', reference: `D-${index}` });
        }
        const paid = { username, kind: 'payment' as const, amountCents: 2_999n, takesEffectAt: evening(2) };
        await addEntry(context, { ...paid, description: 'Thank you', reference: 'P-1' });
        for (const token of ['tok_visa', 'tok_amex']) await addCardByApi(api, customer, token);
        await signIn(page, customer);
        for (const path of ['/', '/service-area']) {
          await page.goto(path);
          await expect(page.locator('.leaflet-container path.map-area')).toBeAttached();
          await compare(page, path === '/' ? 'overview' : 'service-area');
        }
        for (const name of ['payout', 'cards', 'api-access', 'profile']) {
          await page.goto(`/${name}`);
          await compare(page, name, [[new RegExp(`^${customer.id}$`), '1']]);
        }
        await page.goto('/cards');
        await page.getByRole('button', { name: 'Add a card' }).click();
        await waitForCardFields(page);
        await compare(page, 'card-form');
      });

      test('open pages look as they did', async ({ page }) => {
        await page.goto('/sign-in');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await expect(page.getByText('Enter your API key.')).toBeVisible();
        await compare(page, 'sign-in');
        await page.goto('/no-such-page');
        await compare(page, 'not-found');
      });
    });
  }
}

/** Of the fifteenth, so many months ago: whatever day a run is on, the same is owed. */
function evening(monthsAgo: number): Date {
  const then = Temporal.Now.zonedDateTimeISO('America/Los_Angeles').subtract({ months: monthsAgo });
  return new Date(then.with({ day: 15, hour: 18 }).epochMilliseconds);
}
