import type { Route } from '@playwright/test';
import { eq, inArray } from 'drizzle-orm';
import { dashboardPages } from '#components/layout/nav-items.ts';
import { secrets, sessions } from '#db/schema.ts';
import { addTestCard, expect, newCustomer, newEntry, test } from '../support/fixtures.ts';
import { comeBackLater, detailPath } from './network-faults.ts';
import {
  cardsPath,
  removeCard,
  signIn,
  signInByRequest,
  signOut,
  startCard,
  submitCredentials,
  testCards,
} from './steps.ts';

// The browser reports error responses and aborted requests in its console.
test.use({ expectedFaults: [/Failed to load resource/] });

test('session expired in another tab: keeps the input and continues after sign-in', async ({
  page,
  context,
  customer,
  clientOf,
}) => {
  await signIn(page, customer, '/cards');
  await startCard(page, testCards.good);
  const other = await context.newPage();
  await other.goto('/');
  await signOut(other);

  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('You were signed out.').first()).toBeVisible();
  await expect(page.getByLabel('Billing ZIP code')).toHaveValue('95814');
  const [again] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Sign in again' }).first().click(),
  ]);
  await signIn(again, customer);
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
  expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);
});

test('session expired: a refused removal is one message, and can be repeated after sign-in', async ({
  page,
  context,
  customer,
  clientOf,
}) => {
  await addTestCard(clientOf(customer));
  await signIn(page, customer, '/cards');
  await context.clearCookies();
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 401) refused.push(response.request().method());
  });
  await removeCard(page);
  const messages = page.getByRole('alert').filter({ hasText: 'You were signed out.' });
  await expect(messages.filter({ hasText: 'is still on file' })).toBeVisible();
  await expect(messages).toHaveCount(1);
  await signIn(await context.newPage(), customer);
  await messages.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Visa ending in 4242 was removed.')).toBeVisible();
  // No other request, whose refusal would be a message too.
  expect(refused).toEqual(['DELETE']);
});

test('signed in to another account in another tab: adds and removes nothing', async ({
  page,
  context,
  customer,
  db,
  clientOf,
}) => {
  await addTestCard(clientOf(customer));
  const other = await newCustomer(db);
  await signIn(page, customer, '/cards');
  await startCard(page, testCards.good);
  await context.clearCookies();
  await signIn(await context.newPage(), other);

  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('You were signed out.').first()).toBeVisible();
  const removal = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await removeCard(page);
  expect((await removal).status()).toBe(401);
  await expect(page.getByText('was removed')).toHaveCount(0);
  expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);
  expect((await clientOf(other).getCustomer()).cards).toEqual([]);

  const [again] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Sign in again' }).first().click(),
  ]);
  await submitCredentials(again, customer);
  await expect(again.locator('.app-shell')).toHaveAttribute('data-customer', String(customer.id));
  const addition = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name: 'Add card' }).click();
  expect((await addition).status()).toBe(200);
});

for (const button of ['Sign out everywhere', /^Sign out \w+ on/]) {
  test(`signed in to another account in another tab: ${button} ends no session`, async ({
    page,
    customer,
    db,
  }) => {
    const other = await newCustomer(db);
    const count = ({ id }: { id: number }) => db.$count(sessions, eq(sessions.customerId, id));
    await signInByRequest(page.request, customer);
    await page.context().clearCookies();
    await signIn(page, customer, '/profile');
    await page.context().clearCookies();
    await signInByRequest(page.request, other);
    await page.getByRole('button', { name: button }).click();
    await expect(page.locator('.app-shell')).toHaveAttribute('data-customer', String(other.id));
    expect([await count(customer), await count(other)]).toEqual([2, 1]);
  });
}

for (const file of ['Download CSV', 'Download PDF']) {
  test(`signed in to another account in another tab: ${file} shows the page of that account`, async ({
    page,
    customer,
    db,
  }) => {
    const other = await newCustomer(db);
    await signIn(page, customer, '/payout');
    await page.getByRole('link', { name: 'View statement' }).click();
    await expect(page.getByRole('link', { name: file })).toBeVisible();
    await page.context().clearCookies();
    await signInByRequest(page.request, other);
    await page.getByRole('link', { name: file }).click();
    await expect(page.locator('.app-shell')).toHaveAttribute('data-customer', String(other.id));
  });
}

test('signed in to another account in another tab: every link shows that account only', async ({
  page,
  customer,
  db,
  clientOf,
}) => {
  const accounts = [customer, await newCustomer(db)];
  await addTestCard(clientOf(customer));
  await signIn(page, customer, '/profile');
  const links = [...dashboardPages.map(({ path }) => path), '/payout', /\/payout\/\d/, '/'];
  for (const [index, link] of links.entries()) {
    const account = accounts[(index + 1) % 2] ?? customer;
    await page.context().clearCookies();
    await signInByRequest(page.request, account);
    const href = typeof link === 'string' ? `[href="${link}"]` : '[href^="/payout/2"]:not([href*="."])';
    // Some are in closed menus.
    await page.locator(`a${href}`).first().dispatchEvent('click');
    await expect(page).toHaveURL(link);
    await expect(page.locator('.app-shell')).toHaveAttribute('data-customer', String(account.id));
    if (link !== '/') continue;
    const cards = account === customer ? 'Visa' : 'No cards on file';
    await expect(page.getByRole('region', { name: 'Cards' })).toContainText(cards);
  }
});

test('signed in to another account in another tab: a statement that it does not have shows that account only', async ({
  page,
  customer,
  db,
}) => {
  const other = await newCustomer(db);
  const takesEffectAt = new Date(Date.now() - 70 * 24 * 60 * 60_000);
  await newEntry(db, customer, { amountCents: 5_000n, takesEffectAt });
  await signIn(page, customer, '/payout');
  await page.context().clearCookies();
  await signInByRequest(page.request, other);
  const months = page.getByRole('region', { name: 'Last 12 months' });
  await months.locator('a').last().dispatchEvent('click');
  await expect(page.getByRole('heading', { level: 1, name: 'Statement not found' })).toBeVisible();
  await expect(page.locator('.app-shell')).toHaveAttribute('data-customer', String(other.id));
});

test('signed in to another account while a card is added: shows nothing of the first one', async ({
  page,
  context,
  customer,
  db,
  clientOf,
}) => {
  await addTestCard(clientOf(customer), 'tok_mastercard');
  const other = await newCustomer(db);
  await signIn(page, customer, '/cards');
  await startCard(page, testCards.good);
  await page.route(cardsPath, async (route) => {
    const response = await route.fetch();
    await context.clearCookies();
    await signInByRequest(page.request, other);
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.locator('.app-shell')).toHaveAttribute('data-customer', String(other.id));
  await expect(page.getByText('No cards on file')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Remove / })).toHaveCount(0);
});

test('signed in to another account in another tab: rotates no secret', async ({ page, customer, db }) => {
  const other = await newCustomer(db);
  await signIn(page, customer, '/api-access');
  await page.context().clearCookies();
  await signInByRequest(page.request, other);
  for (const { apiSecret } of [customer, other]) {
    await page.getByLabel('Current API secret').fill(apiSecret);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await expect(page.getByText('Your secret wasn’t rotated.')).toBeVisible();
  }
  const stored = await db.$count(secrets, inArray(secrets.customerId, [customer.id, other.id]));
  expect(stored).toBe(2);
});

test('Back after ten minutes: the overview shows what has changed meanwhile', async ({
  page,
  customer,
  clientOf,
  db,
}) => {
  await addTestCard(clientOf(customer));
  await addTestCard(clientOf(customer), 'tok_mastercard');
  await page.clock.install();
  await signIn(page, customer);
  await removeCard(page);
  await expect(page.getByText('Visa ending in 4242 was removed.')).toBeVisible();
  await page.getByRole('link', { name: 'Service area', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Service area' })).toBeVisible();
  await newEntry(db, customer, { amountCents: 2_300n });
  await page.clock.fastForward('10:00');
  await page.goBack();
  await expect(page.getByText('$23.00', { exact: true }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^Remove/ })).toHaveAccessibleName(
    'Remove Mastercard ending in 4444',
  );
});

test('cards: are shown again in a new month, in which others may have expired', async ({
  page,
  customer,
  clientOf,
  db,
}) => {
  await addTestCard(clientOf(customer));
  await newEntry(db, customer, { amountCents: 2_300n });
  await page.clock.install();
  await signIn(page, customer, '/cards');
  let [reads, renders] = [0, 0];
  page.on('request', (request) => {
    if (request.url().endsWith('/customers/payout')) reads += 1;
    if (request.method() === 'POST' && request.url().endsWith('/cards')) renders += 1;
  });
  // The page may not be hydrated yet, and then does not notice the first return.
  const comeBackUntil = (isDone: () => boolean) =>
    expect(async () => {
      await comeBackLater(page);
      await expect.poll(isDone, { timeout: 5_000 }).toBe(true);
    }).toPass();
  await comeBackUntil(() => reads > 0);
  await page.route('**/customers/payout', async (route) => {
    expect(renders).toBe(0);
    const json = await (await route.fetch()).json();
    await route.fulfill({ json: { ...json, payout: { ...json.payout, period_start: 'next month' } } });
  });
  await comeBackUntil(() => renders > 0);
});

test('failed refresh: keeps the data with a message and a retry', async ({ page, context, customer }) => {
  await page.clock.install();
  await signIn(page, customer, '/cards');
  await page.route(detailPath, (route) => route.fulfill({ status: 503, json: {} }));
  // The page may not be hydrated yet, and then does not notice the first return.
  await expect(async () => {
    await comeBackLater(page);
    await expect(page.getByText('Something went wrong on our side.')).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await expect(page.getByText('No cards on file')).toBeVisible();
  await page.unroute(detailPath);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Something went wrong on our side.')).toBeHidden();
  await expect(page.locator('main')).toBeFocused();
  await context.setOffline(true);
  await expect(page.getByText('You’re offline.')).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText('You’re offline.')).toBeHidden();
});

test('failed refresh: is not reported on another page', { tag: '@thorough' }, async ({ page, customer }) => {
  await page.clock.install();
  await signIn(page, customer);
  await page.route(detailPath, (route) => route.fulfill({ status: 503, json: {} }));
  // The page may not be hydrated yet, and then does not notice the first return.
  await expect(async () => {
    await comeBackLater(page);
    await expect(page.getByText('This page may be out of date.')).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await page.getByRole('link', { name: 'Payout', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Payout' })).toBeVisible();
  await expect(page.getByText('This page may be out of date.')).toBeHidden();
});

for (const [fault, respond] of [
  [
    '429',
    (route: Route) => route.fulfill({ status: 429, contentType: 'text/html', body: 'Too many requests' }),
  ],
  ['503', (route: Route) => route.fulfill({ status: 503, contentType: 'text/html', body: 'Busy' })],
  ['no connection', (route: Route) => route.abort()],
] as const) {
  test(`failed refresh: a changed balance that gets ${fault} keeps the page, and is shown later`, {
    tag: fault === '503' ? [] : '@thorough',
  }, async ({ page, customer, db }) => {
    await newEntry(db, customer, { amountCents: 10_000n });
    await page.clock.install();
    await signIn(page, customer, '/payout');
    await page.getByLabel('Description or reference').fill('unsent');
    await page.evaluate(() => {
      document.body.setAttribute('data-document', 'first');
      window.scrollTo(0, 200);
    });
    const position = await page.evaluate(() => [window.scrollY, history.length]);
    await newEntry(db, customer, { amountCents: 2_300n });
    const isPage = (url: URL) => url.pathname === '/payout';
    await page.route(isPage, respond);
    // The page may not be hydrated yet, and then does not notice the first return.
    await expect(async () => {
      await comeBackLater(page);
      await expect(page.getByText('This page may be out of date.')).toBeVisible({ timeout: 5_000 });
    }).toPass();
    await page.unroute(isPage);
    await comeBackLater(page);
    await expect(page.getByText('$123.00', { exact: true }).first()).toBeVisible();
    await expect(page.getByText('This page may be out of date.')).toBeHidden();
    await expect(page.getByLabel('Description or reference')).toHaveValue('unsent');
    await expect(page.getByLabel('Description or reference')).toBeFocused();
    expect(await page.evaluate(() => [window.scrollY, history.length])).toEqual(position);
    await expect(page.locator('body')).toHaveAttribute('data-document', 'first');
  });
}
