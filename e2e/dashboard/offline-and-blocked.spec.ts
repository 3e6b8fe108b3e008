import { problems } from '#src/errors.ts';
import { errorBody } from '#tools/testing/normalize.ts';
import { isThorough } from '#tools/testing/thorough.ts';
import { addTestCard, expect, newCustomer, test } from '../support/fixtures.ts';
import { cardScript, detailPath, holdBack, pageScripts, respondToCards } from './network-faults.ts';
import {
  addDeliveries,
  cardsPath,
  fillCard,
  notKnownIfAdded,
  notKnownIfRemoved,
  removeCard,
  signIn,
  signOut,
  startCard,
  testCards,
} from './steps.ts';

// The browser reports error responses and aborted requests in its console.
test.use({ expectedFaults: [/Failed to load resource/] });

test('card form: reports a blocked Stripe script and retries without a reload', async ({
  page,
  customer,
}) => {
  await signIn(page, customer, '/cards');
  await page.route(cardScript, (route) => route.abort());
  const statuses = page.getByRole('main').getByRole('status');
  const before = await statuses.count();
  await page.getByRole('link', { name: 'Add a card' }).click();
  await expect(page.getByText('The card form didn’t load.')).toBeVisible();
  await page.unroute(cardScript);
  const letThrough = await holdBack(page, cardScript);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('region', { name: 'Add a card' })).toBeFocused();
  // In a region that was there before: screen readers don't announce one that appears with its text.
  await expect(statuses.filter({ hasText: 'Loading the card form' })).toHaveCount(1);
  expect(await statuses.count()).toBe(before);
  letThrough();
  await expect(page.getByLabel('Billing ZIP code')).toBeVisible();
});

test('card form: says to reload the page if its script is gone, for example after an update', {
  tag: '@thorough',
}, async ({ page, customer }) => {
  await signIn(page, customer, '/cards');
  await page.route(pageScripts, (route) => route.fulfill({ status: 404 }));
  const reload = page.getByRole('alert').getByText('If this keeps happening, reload the page.');
  await page.getByRole('link', { name: 'Add a card' }).click();
  await expect(reload).toBeVisible();
  await page.unroute(pageScripts);
  await page.reload();
  await page.getByRole('link', { name: 'Add a card' }).click();
  await expect(page.getByLabel('Billing ZIP code')).toBeVisible();
});

test('card form: says that it did not load if a script takes longer than 15 seconds', {
  tag: '@thorough',
}, async ({ page, customer }) => {
  await page.clock.install();
  await signIn(page, customer, '/cards');
  const letThrough = await holdBack(page, pageScripts);
  await page.getByRole('link', { name: 'Add a card' }).click();
  await expect(page.getByText('Loading the card form')).toBeAttached();
  await page.clock.fastForward('00:16');
  await expect(page.getByText('The card form didn’t load.')).toBeVisible();
  letThrough();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByLabel('Billing ZIP code')).toBeVisible();
});

test('card form: moves the focus to its title if the card fields take longer than 20 seconds', async ({
  page,
  customer,
}) => {
  await page.clock.install();
  await signIn(page, customer, '/cards');
  await page.route('**/elements/frame.js', (route) => route.abort());
  await page.getByRole('link', { name: 'Add a card' }).click();
  await page.getByLabel('Billing ZIP code').focus();
  await page.clock.fastForward('00:25');
  await expect(page.getByText('The card form didn’t load.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Add a card' })).toBeFocused();
});

test('card form: reports being offline on opening and submitting, and continues when online', async ({
  page,
  context,
  customer,
}) => {
  await signIn(page, customer, '/cards');
  const expectFailure = async (role: 'button' | 'link', name: string, message: string) => {
    await context.setOffline(true);
    await page.getByRole(role, { name }).click();
    await expect(page.getByRole('alert').getByText(message)).toBeVisible();
    await context.setOffline(false);
  };
  await expectFailure('link', 'Add a card', 'You’re offline. Reconnect and try again. Nothing was saved.');
  await page.getByRole('button', { name: 'Try again' }).click();
  await fillCard(page, testCards.good);
  await expectFailure(
    'button',
    'Add card',
    'Check your connection. Nothing was saved. Try again in a minute.',
  );
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
});

test('offline: links, forms, and files keep the page, and work again when online', {
  tag: '@thorough',
}, async ({ page, context, customer, db }) => {
  await addDeliveries(db, customer, 1);
  await signIn(page, customer, '/payout');
  const search = page.getByLabel('Description or reference');
  const blocked = page.getByText('Reconnect and try again. This page stays as it is.');
  await context.setOffline(true);
  await expect(page.getByText('Reconnect to make changes.')).toBeVisible();
  await search.fill('number 7');
  await search.press('Enter');
  await expect(blocked).toBeInViewport();
  await expect(search).toHaveValue('number 7');
  await expect(search).toBeFocused();
  for (const name of ['Overview', 'Cards', 'View statement']) {
    await page.getByRole('link', { name, exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Payout' })).toBeVisible();
  }
  await page.getByRole('link', { name: 'Skip to content' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('main')).toBeFocused();
  await context.setOffline(false);
  await expect(blocked).toBeHidden();
  await search.press('Enter');
  await expect(page).toHaveURL(/search=number\+7/);
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
});

test('offline: links still work if the service can be reached', { tag: '@thorough' }, async ({
  page,
  customer,
}) => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'onLine', { value: false }));
  await signIn(page, customer, '/payout');
  await expect(page.getByText('You’re offline.')).toBeVisible();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await page.getByRole('link', { name: 'Cards', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Cards' })).toBeVisible();
});

const failures = [
  {
    type: 'provider_unavailable',
    title: 'We couldn’t reach our payment processor.',
    advice: notKnownIfAdded,
  },
  { type: 'internal', title: 'Something went wrong on our side.', advice: notKnownIfAdded },
  { type: 'unavailable', title: 'Something went wrong on our side.', advice: notKnownIfAdded },
  {
    type: 'card_in_flight',
    title: 'Still processing.',
    advice: 'Try again in a few seconds to see the result.',
  },
] as const;

const reported = failures.filter(({ type }) => isThorough || type !== 'unavailable');
const reportedStatuses = reported.map(({ type }) => problems[type].status).join(', ');

test(`addCard: reports ${reportedStatuses}, and the retry sends the same token and idempotency key`, async ({
  page,
  clientOf,
  db,
}) => {
  for (const { type, title, advice } of reported) {
    const { status, message } = problems[type];
    await test.step(type, async () => {
      const customer = await newCustomer(db);
      await signIn(page, customer, '/cards');
      await startCard(page, testCards.good);
      const sent: { key: string | undefined; token: string }[] = [];
      await page.route(cardsPath, async (route) => {
        const { token } = route.request().postDataJSON();
        sent.push({ key: route.request().headers()['idempotency-key'], token });
        if (sent.length > 1) return route.continue();
        const headers = { 'x-request-id': 'order-7' };
        await route.fulfill({ status, headers, json: errorBody(type, message) });
      });
      await page.getByRole('button', { name: 'Add card' }).click();
      await expect(page.getByText(title)).toBeVisible();
      await expect(page.getByRole('alert').getByText(advice)).toBeVisible();
      const support = page.getByRole('alert').getByRole('link', { name: /@/ });
      await expect(support).toHaveCount([500, 503].includes(status) ? 1 : 0);
      // The retry replaces the submit button.
      await expect(page.getByRole('button', { name: 'Try again' })).toBeHidden();
      await page.getByRole('button', { name: 'Add card' }).click();
      await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
      expect(sent[1]).toEqual(sent[0]);
      expect(sent[0]?.key).toMatch(/^\d+(-\d+){3}$/);
      expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);
      await page.unroute(cardsPath);
      await signOut(page);
    });
  }
});

test('addCard: 429 after too many declines shows how long to wait', async ({ page, customer }) => {
  await signIn(page, customer, '/cards');
  await startCard(page, testCards.good);
  await respondToCards(page, 'too_many_declines', { retryAfterSeconds: 600 });
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('Too many declined cards.', { exact: true })).toBeVisible();
  await expect(page.getByText(/Try again in 10 minutes/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toBeHidden();
});

test('removeCard: a card that could not be removed reappears, and a retry removes it', async ({
  page,
  customer,
  clientOf,
}) => {
  const { uuid } = await addTestCard(clientOf(customer));
  await signIn(page, customer, '/cards');
  await respondToCards(page, 'internal');
  await removeCard(page);
  await expect(page.getByText(notKnownIfRemoved)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Remove Visa ending in 4242' })).toBeVisible();
  expect((await clientOf(customer).getCustomer()).cards).toMatchObject([{ uuid }]);
  await page.unroute(cardsPath);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Visa ending in 4242 was removed.', { exact: true })).toBeVisible();
  expect((await clientOf(customer).getCustomer()).cards).toEqual([]);
});

test('removeCard: a failure is shown on the page that the customer has gone to', async ({
  page,
  customer,
  clientOf,
}) => {
  await addTestCard(clientOf(customer));
  await signIn(page, customer);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route(cardsPath, async (route) => {
    await held;
    await route.fulfill({ status: 500, json: errorBody('internal', problems.internal.message) });
  });
  await removeCard(page);
  await page.getByRole('link', { name: 'Payout', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Payout' })).toBeVisible();
  release();
  const unconfirmed = 'We couldn’t confirm that Visa ending in 4242 was removed.';
  await expect(page.getByRole('status').getByText(unconfirmed)).toBeVisible();
});

test('removeCard: each of two removals at a time that fail is shown, and can be retried', async ({
  page,
  customer,
  clientOf,
}) => {
  await addTestCard(clientOf(customer));
  await addTestCard(clientOf(customer), 'tok_mastercard');
  await signIn(page, customer, '/cards');
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route(cardsPath, async (route) => {
    await held;
    await route.fulfill({ status: 500, json: errorBody('internal', problems.internal.message) });
  });
  for (const name of ['Visa ending in 4242', 'Mastercard ending in 4444']) await removeCard(page, name);
  await expect(page.getByText('No cards on file')).toBeVisible();
  release();
  await expect(page.getByRole('alert').filter({ hasText: 'that Visa' })).toBeVisible();
  await expect(page.getByRole('alert').filter({ hasText: 'that Mastercard' })).toBeVisible();
  await page.unroute(cardsPath);
  await page
    .getByRole('alert')
    .filter({ hasText: 'Visa' })
    .getByRole('button', { name: 'Try again' })
    .click();
  await expect(page.getByText('Visa ending in 4242 was removed.', { exact: true })).toBeVisible();
  await expect(page.getByRole('alert').filter({ hasText: 'Mastercard' })).toBeVisible();
  expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);
});

test('removeCard: 429 shows how long to wait, and a later removal succeeds', async ({
  page,
  customer,
  clientOf,
}) => {
  await addTestCard(clientOf(customer));
  await signIn(page, customer, '/cards');
  await respondToCards(page, 'too_many_requests', { retryAfterSeconds: 40 });
  await removeCard(page);
  const refusal = 'Visa ending in 4242 is still on file. Try again in 40 seconds.';
  await expect(page.getByText(refusal)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toBeHidden();
  await page.unroute(cardsPath);
  await removeCard(page);
  await expect(page.getByText('Visa ending in 4242 was removed.', { exact: true })).toBeVisible();
  await expect(page.getByText(refusal)).toBeHidden();
});

test('removeCard: the card disappears before the response arrives', async ({ page, customer, clientOf }) => {
  const { uuid } = await addTestCard(clientOf(customer));
  await signIn(page, customer, '/cards');
  const release = await holdBack(page, cardsPath);
  await removeCard(page);
  await expect(page.getByText('No cards on file')).toBeVisible();
  expect((await clientOf(customer).getCustomer()).cards).toMatchObject([{ uuid }]);
  release();
  await expect(page.getByText('Visa ending in 4242 was removed.', { exact: true })).toBeVisible();
});

test('removeCard: a list that is read before the response arrives does not bring the card back', async ({
  page,
  customer,
  clientOf,
}) => {
  const { uuid: removed } = await addTestCard(clientOf(customer));
  await addTestCard(clientOf(customer), 'tok_mastercard');
  await signIn(page, customer, '/cards');
  const release = await holdBack(
    page,
    (url) => url.pathname.includes('/cards/') && !url.pathname.endsWith(removed),
  );
  await removeCard(page, 'Mastercard ending in 4444');
  const listed = page.waitForResponse(detailPath);
  await removeCard(page);
  expect(await (await listed).text()).toContain('4444');
  await expect(page.getByText('Visa ending in 4242 was removed.', { exact: true })).toBeVisible();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await expect(page.getByText('No cards on file')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Remove/ })).toBeHidden();
  release();
  await expect(page.getByText('Mastercard ending in 4444 was removed.', { exact: true })).toBeVisible();
  await expect(page.getByText('No cards on file')).toBeVisible();
  expect((await clientOf(customer).getCustomer()).cards).toEqual([]);
});

test('removeCard: a card removed elsewhere (404) disappears', async ({ page, customer, api, clientOf }) => {
  const { uuid } = await addTestCard(clientOf(customer));
  await signIn(page, customer, '/cards');
  await api('DELETE', `/api/schedule/v1/payment/cards/${uuid}`, { as: customer });
  await removeCard(page);
  await expect(page.getByText('Visa ending in 4242 was removed.', { exact: true })).toBeVisible();
});
