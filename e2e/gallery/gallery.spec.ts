/** Every page and every state of it as a picture, to be looked at: `npm run gallery`. */
import type { Page } from '@playwright/test';
import { and, eq } from 'drizzle-orm';
import { cards, cities, customers } from '#db/schema/index.ts';
import { expect, newCity, newCredit, newCustomer, test } from '../fixtures.ts';
import { signInToDemo } from '../pages/demo.ts';
import { addCardByApi, signIn, startCard, testCards } from '../pages/steps.ts';

test.use({ expectedFaults: [/./] });

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [size, viewport] of Object.entries({
    phone: { width: 375, height: 812 },
    desk: { width: 1280, height: 900 },
  })) {
    test.describe(`${colorScheme}, ${size}`, () => {
      test.use({ colorScheme, viewport });
      const shoot = async (page: Page, name: string) => {
        await page.evaluate(() => document.fonts.ready);
        await page.screenshot({
          path: `gallery/${colorScheme}-${size}/${name}.png`,
          fullPage: true,
          animations: 'disabled',
        });
      };

      test('the demo', async ({ page }) => {
        test.slow();
        await page.goto('/sign-in');
        await shoot(page, 'sign-in');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await expect(page.getByText('Enter your API key.')).toBeVisible();
        await shoot(page, 'sign-in-missing');
        await page.goto('/no-such-page');
        await shoot(page, 'not-found');
        await signInToDemo(page);
        for (const path of ['/', '/payout', '/cards', '/service-area', '/api-access', '/profile']) {
          await page.goto(path);
          await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
          if (['/', '/service-area'].includes(path))
            await expect(page.locator('.leaflet-container path.map-area')).toBeAttached();
          await shoot(page, path === '/' ? 'overview' : path.slice(1));
        }
        await page.getByRole('button', { name: /^Account: / }).click();
        await shoot(page, 'account-menu');
      });

      test('a new customer', async ({ page, customer }) => {
        await signIn(page, customer);
        for (const path of ['/', '/payout', '/cards']) {
          await page.goto(path);
          await shoot(page, `empty-${path === '/' ? 'overview' : path.slice(1)}`);
        }
      });

      test('a customer in credit, in a city that is stopped, with an expired card', async ({
        page,
        db,
        api,
      }) => {
        const customer = await newCustomer(db, { city: await newCity(db, { name: 'Fremont' }) });
        await newCredit(db, customer, 1_200n);
        await addCardByApi(api, customer);
        await db.update(cities).set({ isActive: false }).where(eq(cities.slug, customer.city.slug));
        await db
          .update(cards)
          .set({ expYear: 2024 })
          .where(and(eq(cards.customerId, customer.id)));
        await db
          .update(customers)
          .set({ name: 'The Very Long Name Bakery & Patisserie of Fremont, Incorporated' })
          .where(eq(customers.id, customer.id));
        await signIn(page, customer);
        await shoot(page, 'attention-overview');
        for (const path of ['/cards', '/payout', '/service-area']) {
          await page.goto(path);
          await shoot(page, `attention-${path.slice(1)}`);
        }
      });

      test('the card form in its states', async ({ page, customer, api }) => {
        await addCardByApi(api, customer, 'tok_mastercard');
        await signIn(page, customer, '/cards');
        await page.getByRole('button', { name: 'Add a card' }).click();
        await page.getByRole('button', { name: 'Add card' }).click();
        await expect(page.getByText('Enter the card number.')).toBeVisible();
        await shoot(page, 'form-missing');
        await page.getByRole('button', { name: 'Cancel' }).click();
        await startCard(page, testCards.declined);
        await page.getByRole('button', { name: 'Add card' }).click();
        await expect(page.getByText(/Your bank declined/)).toBeVisible();
        await shoot(page, 'form-declined');
        await page.route('**/payment/cards**', (route) => route.fulfill({ status: 424, json: {} }));
        await page.getByRole('button', { name: 'Add card' }).click();
        await expect(page.getByText('We couldn’t reach the card service.')).toBeVisible();
        await shoot(page, 'form-unreachable');
        await page.unroute('**/payment/cards**');
        await page.route('**/payment/cards**', (route) => route.fulfill({ status: 403, json: {} }));
        await page.getByRole('button', { name: 'Try again' }).click();
        await expect(page.getByText('You were signed out.')).toBeVisible();
        await shoot(page, 'form-signed-out');
        await page.getByRole('button', { name: /^Remove/ }).click();
        await shoot(page, 'remove-question');
      });

      test('without the card script, and without a network', async ({ page, context, customer }) => {
        await signIn(page, customer, '/cards');
        await page.route('**/endive/stripe.js', (route) => route.abort());
        await page.getByRole('button', { name: 'Add a card' }).click();
        await expect(page.getByText('The card form could not be loaded.')).toBeVisible();
        await shoot(page, 'form-blocked');
        await context.setOffline(true);
        await expect(page.getByText('You are offline.')).toBeVisible();
        await shoot(page, 'offline');
      });
    });
  }
}
