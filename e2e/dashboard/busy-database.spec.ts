import { sql } from 'drizzle-orm';
import { expect, newCustomer, serviceTest as test } from '../support/fixtures.ts';
import { signInByRequest } from './steps.ts';

test('busy database: pages and downloads return 503 with Retry-After', async ({ page, db }) => {
  await signInByRequest(page.request, await newCustomer(db));
  const paths = ['/', '/cards', '/payout/transactions.csv'];
  const responses = await db.transaction(async (tx) => {
    await tx.execute(sql`lock table sessions`);
    return Promise.all(paths.map((path) => page.request.get(path)));
  });
  const refusals = responses.map((response) => [response.status(), response.headers()['retry-after']]);
  expect(refusals).toEqual(paths.map(() => [503, '1']));
  const texts = await Promise.all(responses.map((response) => response.text()));
  expect(texts).toEqual(
    ['This page didn’t load', 'This page didn’t load', 'We’re busy right now'].map((text) =>
      expect.stringContaining(text),
    ),
  );
  for (const path of paths) await expect(await page.request.get(path)).toBeOK();
});
