import { expect, test } from '../fixtures.ts';
import { addCardByApi, cardsByApi, signIn, startCard, testCards } from './steps.ts';

const cardsPath = '**/api/schedule/v1/payment/cards**';
const detailPath = '**/api/schedule/v1/customers/detail';
const script = '**/endive/stripe.js';

// A browser writes every answer that is an error, and every request that was cut, into its console.
test.use({ expectedFaults: [/Failed to load resource/] });

test('a blocked card script is said in words, and tried again without a reload', async ({
  page,
  customer,
}) => {
  await signIn(page, customer, '/cards');
  await page.route(script, (route) => route.abort());
  await page.getByRole('button', { name: 'Add a card' }).click();
  await expect(page.getByText('The card form could not be loaded.')).toBeVisible();
  await page.unroute(script);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByLabel('Billing ZIP code')).toBeVisible();
});

const failures = [
  { status: 424, words: 'We couldn’t reach the card service.' },
  { status: 500, words: 'Something went wrong on our side.' },
  { status: 503, words: 'Something went wrong on our side.' },
  { status: 409, words: 'This is still being worked on.' },
];

for (const { status, words } of failures) {
  test(`a ${status} while adding says so, and the next try sends the same token under the same key`, async ({
    page,
    customer,
    api,
  }) => {
    await signIn(page, customer, '/cards');
    await startCard(page, testCards.good);
    const sent: { key: string | undefined; token: string }[] = [];
    await page.route(cardsPath, async (route) => {
      const { token } = route.request().postDataJSON();
      sent.push({ key: route.request().headers()['idempotency-key'], token });
      if (sent.length > 1) return route.continue();
      await route.fulfill({ status, json: { error: { code: status, message: 'No.' } } });
    });
    await page.getByRole('button', { name: 'Add card' }).click();
    await expect(page.getByText(words)).toBeVisible();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
    expect(sent[1]).toEqual(sent[0]);
    expect(sent[0]?.key).toMatch(/^[\da-f-]{36}$/);
    expect(await cardsByApi(api, customer)).toHaveLength(1);
  });
}

test('an answer that was lost after the card was added makes no second card', async ({
  page,
  customer,
  api,
}) => {
  await signIn(page, customer, '/cards');
  await startCard(page, testCards.good);
  let isFirst = true;
  await page.route(cardsPath, async (route) => {
    if (!isFirst) return route.continue();
    isFirst = false;
    await route.fetch();
    await route.abort();
  });
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('We couldn’t reach the service.')).toBeVisible();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
  expect(await cardsByApi(api, customer)).toHaveLength(1);
});

test('too many declines: says how long to wait', async ({ page, customer }) => {
  await signIn(page, customer, '/cards');
  await startCard(page, testCards.good);
  await page.route(cardsPath, (route) =>
    route.fulfill({
      status: 429,
      headers: { 'retry-after': '600' },
      json: { error: { code: 429, message: 'Too many declined cards. Try again later.' } },
    }),
  );
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('Too many declined cards. Try again later.')).toBeVisible();
  await expect(page.getByText(/Try again in 10 minutes/)).toBeVisible();
});

test('a card that could not be removed comes back, and the next try removes it', async ({
  page,
  customer,
  api,
}) => {
  const uuid = await addCardByApi(api, customer);
  await signIn(page, customer, '/cards');
  await page.route(cardsPath, (route) => route.fulfill({ status: 500, json: {} }));
  await page.getByRole('button', { name: 'Remove Visa ending in 4242' }).click();
  await page.getByRole('button', { name: 'Remove card' }).click();
  await expect(page.getByText(/Visa ending in 4242 is still on file/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Remove Visa ending in 4242' })).toBeVisible();
  expect(await cardsByApi(api, customer)).toEqual([uuid]);
  await page.unroute(cardsPath);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Visa ending in 4242 was removed.')).toBeVisible();
  expect(await cardsByApi(api, customer)).toEqual([]);
});

test('a card removed elsewhere is simply gone', async ({ page, customer, api }) => {
  const uuid = await addCardByApi(api, customer);
  await signIn(page, customer, '/cards');
  await api('DELETE', `/api/schedule/v1/payment/cards/${uuid}`, { as: customer });
  await page.getByRole('button', { name: 'Remove Visa ending in 4242' }).click();
  await page.getByRole('button', { name: 'Remove card' }).click();
  await expect(page.getByText('Visa ending in 4242 was removed.')).toBeVisible();
});

test('a session that ended in another tab: says so, keeps what was typed, and goes on after signing in', async ({
  page,
  context,
  customer,
  api,
}) => {
  await signIn(page, customer, '/cards');
  await startCard(page, testCards.good);
  const other = await context.newPage();
  await other.goto('/');
  await other.getByRole('button', { name: /^Account: / }).click();
  await other.getByRole('button', { name: 'Sign out' }).click();
  await expect(other.getByText('You are signed out.')).toBeVisible();

  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('You were signed out.').first()).toBeVisible();
  await expect(page.getByLabel('Billing ZIP code')).toHaveValue('95814');
  const [again] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Sign in in a new tab' }).first().click(),
  ]);
  await signIn(again, customer);
  await page.getByRole('form').or(page.locator('form')).getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
  expect(await cardsByApi(api, customer)).toHaveLength(1);
});

test('what could not be brought up to date stays on the page, with a word and a retry', async ({
  page,
  context,
  customer,
}) => {
  await page.clock.install();
  await signIn(page, customer, '/cards');
  await page.route(detailPath, (route) => route.fulfill({ status: 503, json: {} }));
  await page.clock.fastForward('01:00');
  await comeBack(page);
  await expect(page.getByText('Something went wrong on our side.')).toBeVisible();
  await expect(page.getByText('No cards yet')).toBeVisible();
  await page.unroute(detailPath);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Something went wrong on our side.')).toBeHidden();
  await context.setOffline(true);
  await expect(page.getByText('You are offline.')).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText('You are offline.')).toBeHidden();
});

/** As when one returns to the tab from another. */
async function comeBack(page: import('@playwright/test').Page): Promise<void> {
  await page.evaluate(() => {
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
}
