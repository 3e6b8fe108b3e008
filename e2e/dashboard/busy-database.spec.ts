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
  expect(await responses[0]?.text()).toContain('This page didn’t load');
  for (const path of paths) await expect(await page.request.get(path)).toBeOK();
});
