import type { Locator, Page } from '@playwright/test';
import { addTestCard, expect, newEntry, test } from '../support/fixtures.ts';
import { signIn, waitForCardFields } from './steps.ts';

test.use({ viewport: { width: 1280, height: 900 } });

test('happy path with the keyboard only', { tag: '@thorough' }, async ({ page, customer, db }) => {
  test.slow();
  await newEntry(db, customer, { amountCents: 4_200n });
  await page.goto('/sign-in');
  await tabTo(page, page.getByLabel('API key'));
  await page.keyboard.type(customer.apiKey);
  await page.keyboard.press('Tab');
  await page.keyboard.type(customer.apiSecret);
  await page.keyboard.press('Enter');
  await page.waitForURL('/');

  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('$42.00').first()).toBeVisible();

  const zoomIn = page.getByRole('button', { name: 'Zoom in' });
  await tabTo(page, zoomIn);
  await page.keyboard.press('Enter');

  await tabTo(page, page.getByRole('link', { name: 'Add a card' }), 'Shift+Tab');
  await addCard(page, '4242424242424242');
  await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Add a card' })).toBeFocused();
  await addCard(page, '4000000000000002');
  await expect(page.getByText(/Your bank declined this card/)).toBeVisible();
  await tabTo(page, page.getByRole('button', { name: 'Cancel' }));
  await page.keyboard.press('Enter');

  const remove = page.getByRole('button', { name: 'Remove Visa ending in 4242' });
  await tabTo(page, remove, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Keep card' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(remove).toBeFocused();
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Remove card' }));
  await page.keyboard.press('Enter');
  await expect(page.getByText('Visa ending in 4242 was removed.')).toBeVisible();

  await expect(page.getByText('No cards on file')).toBeVisible();

  await goTo(page, 'Service area');
  await checkPoints(page);
  await goTo(page, 'API access');
  await tabTo(page, page.getByRole('button', { name: 'Show the API key' }));
  await page.keyboard.press('Enter');
  await expect(page.getByText(customer.apiKey).first()).toBeVisible();
  await goTo(page, 'Payout');
  await expect(page.getByText('$42.00').first()).toBeVisible();

  await tabTo(page, page.getByRole('button', { name: /^Account: / }));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Sign out', exact: true }));
  await page.keyboard.press('Enter');
  await expect(page.getByText('You’re signed out.')).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`${colorScheme}: the focus ring on the default card has a contrast of 3 to 1 (WCAG 1.4.11)`, async ({
    page,
    customer,
    clientOf,
  }) => {
    await addTestCard(clientOf(customer));
    await page.emulateMedia({ colorScheme });
    await signIn(page, customer, '/cards');
    const remove = page.getByRole('button', { name: 'Remove Visa ending in 4242' });
    await tabTo(page, remove);
    const [ring, card] = await remove.evaluate((button) => {
      const background = button.closest('.bg-ink') ?? document.body;
      return [getComputedStyle(button).outlineColor, getComputedStyle(background).backgroundColor];
    });
    expect(contrast(luminance(ring), luminance(card))).toBeGreaterThan(3);
  });
}

const contrast = (one: number, other: number) =>
  (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);

/** @param color such as `rgb(25, 26, 27)` */
function luminance(color = ''): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map((text) => {
    const part = Number(text) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

async function goTo(page: Page, link: string): Promise<void> {
  await tabTo(page, page.getByRole('link', { name: link, exact: true }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: link })).toBeVisible();
  // Before its scripts have run, a new document's form loads another one, which has no focus.
  await page.waitForLoadState();
}

/** Checks a point inside with Enter, one outside with the button, and an invalid one. */
async function checkPoints(page: Page): Promise<void> {
  const field = page.getByLabel('Latitude and longitude');
  await tabTo(page, field);
  await page.keyboard.type('37.5, -122.1');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Inside the service area')).toBeVisible();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('37.9, -122.1');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Check this point' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Outside the service area')).toBeVisible();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.type('the harbor');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(field).toBeFocused();
  await expect(field).toHaveAccessibleDescription(/Enter a latitude and longitude/);
}

/** Moves with Tab from the link or the button that opens the form to the button that submits it. */
async function addCard(page: Page, number: string): Promise<void> {
  await page.keyboard.press('Enter');
  await waitForCardFields(page);
  await page.keyboard.press('Tab');
  await page.keyboard.type(number);
  await page.keyboard.press('Tab');
  await page.keyboard.type('1269');
  await page.keyboard.press('Tab');
  await page.keyboard.type('123');
  await tabTo(page, page.getByLabel('Billing ZIP code'));
  await page.keyboard.type('95814');
  await tabTo(page, page.getByRole('button', { name: 'Add card' }));
  await page.keyboard.press('Enter');
}

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (await target.evaluate((element) => element === document.activeElement).catch(() => false)) return;
    await page.keyboard.press(key);
  }
  await expect(target).toBeFocused();
}
