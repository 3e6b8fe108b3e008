import type { Page, Request } from '@playwright/test';
import { errorBody } from '#tools/testing/normalize.ts';
import { addTestCard, expect, test } from '../support/fixtures.ts';
import { holdBack } from './network-faults.ts';
import {
  cardsPath,
  notKnownIfAdded,
  notKnownIfRemoved,
  removeCard,
  signIn,
  startCard,
  testCards,
} from './steps.ts';

// The browser reports error responses and aborted requests in its console.
test.use({ expectedFaults: [/Failed to load resource/] });

const tooMany = {
  status: 429,
  headers: { 'retry-after': '600' },
  json: errorBody('too_many_requests', 'Too many requests. Try again later.'),
};

/**
 * The first request takes effect, but its response is lost. The second returns 429.
 * @returns the attempts, added as they are made
 */
async function loseFirstResponse(page: Page): Promise<Request[]> {
  const attempts: Request[] = [];
  await page.route(cardsPath, async (route) => {
    attempts.push(route.request());
    if (attempts.length === 2) return route.fulfill(tooMany);
    if (attempts.length > 2) return route.continue();
    await route.fetch();
    await route.abort();
  });
  return attempts;
}

test('addCard, lost response: a retry adds no second card, even after 429', async ({
  page,
  customer,
  clientOf,
}) => {
  await signIn(page, customer, '/cards');
  await startCard(page, testCards.good);
  const attempts = await loseFirstResponse(page);
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('We couldn’t reach the service.')).toBeVisible();
  await expect(page.getByText(notKnownIfAdded)).toBeVisible();
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('Too many requests.', { exact: true })).toBeVisible();
  await expect(
    page.getByText('We couldn’t confirm that the card was saved. Try again in 10 minutes.'),
  ).toBeVisible();
  await expect(page.getByText('Nothing was saved.')).toBeHidden();
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
  const sent = attempts.map((request) => [request.headers()['idempotency-key'], request.postData()]);
  expect(sent).toEqual([sent[0], sent[0], sent[0]]);
  expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);
});

test('addCard, lost response: the card is listed after the form was closed', async ({ page, customer }) => {
  await signIn(page, customer, '/cards');
  await startCard(page, testCards.good);
  await loseFirstResponse(page);
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText(notKnownIfAdded)).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: '4242' })).toBeVisible();
});

for (const [step, request] of [
  ['by the payment processor', '**/v1/tokens'],
  ['by the service', cardsPath],
] as const) {
  test(`addCard: the browser asks before the page is left while the card is saved ${step}`, async ({
    page,
    customer,
    clientOf,
  }) => {
    const questions: string[] = [];
    page.on('dialog', async (dialog) => {
      questions.push(dialog.type());
      await dialog.dismiss();
    });
    await signIn(page, customer, '/cards');
    await startCard(page, testCards.good);
    const letThrough = await holdBack(page, request);
    const sent = page.waitForRequest(request);
    await page.getByRole('button', { name: 'Add card' }).click();
    await sent;
    const leave = () => page.getByRole('link', { name: 'Payout', exact: true }).click();
    await leave();
    await expect.poll(() => questions).toEqual(['beforeunload']);
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => questions).toEqual(['beforeunload', 'beforeunload']);
    letThrough();
    await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
    await leave();
    await expect(page.getByRole('heading', { level: 1, name: 'Payout' })).toBeVisible();
    expect(questions).toHaveLength(2);
    expect((await clientOf(customer).getCustomer()).cards).toHaveLength(1);
  });
}

test('removeCard: the browser asks before the page is left while the card is removed', async ({
  page,
  customer,
  clientOf,
}) => {
  await addTestCard(clientOf(customer));
  const questions: string[] = [];
  page.on('dialog', async (dialog) => {
    questions.push(dialog.type());
    await dialog.dismiss();
  });
  await signIn(page, customer, '/cards');
  const letThrough = await holdBack(page, cardsPath);
  await removeCard(page);
  const leave = () => page.getByRole('link', { name: 'Payout', exact: true }).click();
  await leave();
  await expect.poll(() => questions).toEqual(['beforeunload']);
  letThrough();
  await expect(page.getByText('Visa ending in 4242 was removed.')).toBeVisible();
  await leave();
  await expect(page.getByRole('heading', { level: 1, name: 'Payout' })).toBeVisible();
  expect(questions).toHaveLength(1);
});

test('removeCard, lost response: the removed card is not shown as on file', async ({
  page,
  customer,
  clientOf,
}) => {
  await addTestCard(clientOf(customer));
  await signIn(page, customer, '/cards');
  const attempts = await loseFirstResponse(page);
  await removeCard(page);
  await expect(page.getByText(notKnownIfRemoved)).toBeVisible();
  await expect(page.getByText('No cards on file')).toBeVisible();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Too many requests.', { exact: true })).toBeVisible();
  await expect(page.getByText(/We couldn’t confirm that .* was removed. Try again in 10/)).toBeVisible();
  await expect(page.getByText(/still on file/)).toBeHidden();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Visa ending in 4242 was removed.', { exact: true })).toBeVisible();
  expect(new Set(attempts.map((request) => request.headers()['idempotency-key'])).size).toBe(1);
  expect((await clientOf(customer).getCustomer()).cards).toEqual([]);
});
