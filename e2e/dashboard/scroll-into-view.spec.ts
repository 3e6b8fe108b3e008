import type { Page } from '@playwright/test';
import { addTestCard, expect, test } from '../support/fixtures.ts';
import { cardsPath, removeCard, signIn, waitForCardFields } from './steps.ts';

test.use({ viewport: { width: 375, height: 640 } });

const barTop = async (page: Page) =>
  (await page.getByRole('navigation', { name: 'Main' }).boundingBox())?.y ?? 0;

test('card form: scrolls to the top of the window', async ({ page, customer }) => {
  await signIn(page, customer, '/cards');
  await page.getByRole('link', { name: 'Add a card' }).click();
  const title = page.getByRole('heading', { name: 'Add a card' });
  await expect(title).toBeFocused();
  expect((await title.boundingBox())?.y).toBeLessThan(100);
  await waitForCardFields(page);
  expect((await title.boundingBox())?.y).toBeLessThan(100);
});

test.describe('with a failure', () => {
  test.use({ expectedFaults: [/Failed to load resource/] });

  test('cards: the failure of a removal is in the window', async ({ page, customer, clientOf }) => {
    for (const token of ['tok_visa', 'tok_mastercard', 'tok_amex', 'tok_discover', 'tok_jcb'])
      await addTestCard(clientOf(customer), token);
    await signIn(page, customer, '/cards');
    await page.route(cardsPath, (route) => route.abort());
    await removeCard(page, 'Visa ending in 4242');
    await expect(page.getByRole('alert').filter({ hasText: 'Visa' })).toBeInViewport({ ratio: 1 });
  });
});

test('service area: the result for a tapped point is above the navigation bar', async ({
  page,
  customer,
}) => {
  await signIn(page, customer, '/service-area');
  await expect(page.locator('.leaflet-container path.map-area')).toHaveAttribute('d', /^M/);
  await page.getByRole('application', { name: /^Map/ }).click();
  const price = page.getByText(/miles from the center of Testville\. A delivery there costs/);
  await expect
    .poll(async () => {
      const { y, height } = (await price.boundingBox()) ?? { y: Number.POSITIVE_INFINITY, height: 0 };
      return y + height - (await barTop(page));
    }, 'how far it reaches below the bar')
    .toBeLessThan(0);
});
