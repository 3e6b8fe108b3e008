import { eq } from 'drizzle-orm';
import { customers } from '#db/schema.ts';
import { expect, test } from '../support/fixtures.ts';
import { signIn } from './steps.ts';

test('profile: shows every field of the record', async ({ page, customer, db }) => {
  const values = {
    createdAt: new Date('2026-03-08T18:00:00Z'),
    updatedAt: new Date('2026-04-09T18:00:00Z'),
    isEmailConfirmed: true,
  };
  await db.update(customers).set(values).where(eq(customers.id, customer.id));
  await signIn(page, customer, '/profile');
  const rows = page.locator('main dl > div');
  await expect(rows).toHaveText([
    `Account${customer.name} (business)`,
    'ContactAda Byron',
    `Email${customer.username}@example.comConfirmed`,
    'Phone+1 (415) 555-0100',
    `Username${customer.username}`,
    `Customer ID${customer.id}`,
    'CityTestville, Test County',
    'StatusActive',
    'RolesCustomer',
    'Customer sinceMar 8, 2026',
    /^Last updated[A-Z][a-z]{2} \d+, \d{4}$/,
    /^Last sign-in IP address127\.0\.0\.1$/,
  ]);
});

test('profile: lists where the customer is signed in, and signs out everywhere', async ({
  page,
  browser,
  customer,
}) => {
  const other = await browser.newContext({ userAgent: 'Mozilla/5.0 (iPhone) Version/19.1 Safari/604.1' });
  const otherPage = await other.newPage();
  await signIn(otherPage, customer);
  await signIn(page, customer, '/profile');
  const rows = page.getByRole('region', { name: 'Where you’re signed in' }).getByRole('listitem');
  await expect(rows).toHaveText([/^Chrome on \w+This deviceLast used: /, /^Safari on iPhoneLast used: /]);
  await page.getByRole('button', { name: 'Sign out Safari on iPhone' }).click();
  await expect(rows).toHaveCount(1);
  await otherPage.goto('/profile');
  await signIn(otherPage, customer, '/profile');
  await page.reload();
  await expect(rows).toHaveCount(2);
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(page.getByText('You’re signed out.')).toBeVisible();
  await otherPage.goto('/profile');
  await expect(otherPage).toHaveURL('/sign-in?next=%2Fprofile');
  await other.close();
});
