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
