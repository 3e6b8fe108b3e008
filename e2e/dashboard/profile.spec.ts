import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { customers, sessions } from '#db/schema.ts';
import { expect, test } from '../support/fixtures.ts';
import { signIn, signInByRequest } from './steps.ts';

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
    `Name${customer.name} (business)`,
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
  const rows = page.getByRole('region', { name: 'Active sessions' }).getByRole('listitem');
  await expect(rows).toHaveText([/^Chrome on \w+This deviceLast used: /, /^Safari on iPhoneLast used: /]);
  const signOut = page.getByRole('button', { name: 'Sign out Safari on iPhone' });
  await expect(signOut).toHaveAccessibleDescription(/^Last used: .* time$/);
  await signOut.click();
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

test('profile: signing out everywhere with a session that has ended asks to sign in again', async ({
  page,
  customer,
  db,
}) => {
  await signIn(page, customer, '/profile');
  await db.delete(sessions).where(eq(sessions.customerId, customer.id));
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(page).toHaveURL('/sign-in?next=%2Fprofile');
  await expect(page.getByText('You’re signed out.')).toBeHidden();
});

test('profile: shows this device and the four latest sessions, and the others on request', async ({
  page,
  customer,
  db,
}) => {
  await signIn(page, customer, '/profile');
  const isCustomer = eq(sessions.customerId, customer.id);
  const [current] = await db.select().from(sessions).where(isCustomer);
  const later = Array.from({ length: 6 }, (_, index) => ({
    ...(current as typeof sessions.$inferSelect),
    idHash: randomBytes(32),
    device: `Phone ${index}`,
    lastUsedAt: new Date(Date.now() + index * 1000),
  }));
  await db.insert(sessions).values(later);
  await page.reload();
  const rows = page.getByRole('region', { name: 'Active sessions' }).getByRole('listitem');
  await expect(rows).toHaveText([/This device/, /^Phone 5/, /^Phone 4/, /^Phone 3/, /^Phone 2/]);
  await page.getByText('2 more').click();
  await expect(rows).toHaveCount(7);
  await page.getByRole('button', { name: 'Sign out Phone 0' }).click();
  await page.getByText('1 more').click();
  await expect(rows).toHaveCount(6);
});

test('profile: the theme applies to every page of the browser, in any device theme', {
  tag: '@thorough',
}, async ({ page, customer }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await signIn(page, customer, '/profile');
  await page.getByRole('button', { name: 'Dark', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Dark', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  for (const path of ['/profile', '/payout', '/docs']) {
    await page.goto(path);
    await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(16, 17, 18)');
    await expect(page.locator('html')).toHaveCSS('color-scheme', 'dark');
  }
  await page.emulateMedia({ colorScheme: 'light', media: 'print' });
  await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await page.emulateMedia({ colorScheme: 'dark', media: 'screen' });
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Light', exact: true }).click();
  await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(248, 248, 246)');
});

test('profile: shows the panel of the form again after it was sent', { tag: '@thorough' }, async ({
  page,
  browser,
  customer,
}) => {
  const other = await browser.newContext({ userAgent: 'Mozilla/5.0 (iPhone) Version/19.1 Safari/604.1' });
  await signInByRequest(other.request, customer);
  await other.close();
  await page.setViewportSize({ width: 390, height: 600 });
  await signIn(page, customer, '/profile');
  for (const [button, url, panel] of [
    ['Dark', '/profile#preferences', 'Preferences for this browser'],
    ['Sign out Safari on iPhone', '/profile#sessions', 'Active sessions'],
  ] as const) {
    await page.getByRole('button', { name: button, exact: true }).click();
    await expect(page).toHaveURL(url);
    await expect(page.getByRole('heading', { name: panel })).toBeInViewport();
  }
});

test('profile: refuses preferences of other sites and unknown ones', async ({
  request,
  customer,
  baseURL,
}) => {
  await signInByRequest(request, customer);
  const post = (form: Record<string, string>, origin: string) =>
    request.post('/profile/preferences', { form, headers: { origin }, maxRedirects: 0 });
  expect((await post({ theme: 'dark' }, 'https://other.example')).status()).toBe(403);
  expect((await post({ theme: 'pink' }, String(baseURL))).status()).toBe(400);
  expect((await post({ theme: 'dark' }, String(baseURL))).status()).toBe(303);
});

test('shortcuts: g and a letter opens a page, ? lists them, and the profile turns them off', {
  tag: '@thorough',
}, async ({ page, customer }) => {
  await signIn(page, customer, '/payout');
  // The shortcut works once the page is interactive.
  await expect(async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await expect(page).toHaveURL('/service-area', { timeout: 1_000 });
  }).toPass();
  await page.getByLabel('Latitude and longitude').pressSequentially('gp?');
  await expect(page.getByLabel('Latitude and longitude')).toHaveValue('gp?');
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(list.getByRole('definition')).toHaveText(['g o', 'g p', 'g c', 'g s', 'g a', '?']);
  await page.keyboard.press('Escape');
  await expect(list).toBeHidden();
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Turn off shortcuts' }).click();
  await expect(page.getByText('Keyboard shortcuts are off.')).toBeVisible();
  await page.keyboard.press('?');
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  // A page that the keys open would not have it.
  await page.getByRole('button', { name: 'Turn on shortcuts' }).click();
  await expect(page.getByText('Keyboard shortcuts are on.')).toBeVisible();
  await expect(page).toHaveURL('/profile#preferences');
});
