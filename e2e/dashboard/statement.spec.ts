/** The statement of a month: page, print, PDF, and CSV. */
import { readFile } from 'node:fs/promises';
import { Temporal } from 'temporal-polyfill';
import { extractText, getDocumentProxy } from 'unpdf';
import { formatMonth } from '#components/ui/dates.tsx';
import {
  expect,
  insertEntries,
  newEntry,
  type TestCustomer,
  monthTest as test,
  monthZone as timeZone,
} from '../support/fixtures.ts';
import { signIn, signInByRequest } from './steps.ts';

test.use({ expectedFaults: [/status of 404.*2019-01/] });

const month = (at: Date) =>
  `${at.toLocaleString('en-CA', { timeZone, year: 'numeric', month: '2-digit' })}`.slice(0, 7);
const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000);
/** In the month before the customer's current one. */
const lastMonth = () =>
  new Date(
    Temporal.Now.zonedDateTimeISO(timeZone).subtract({ months: 1 }).with({ day: 15 }).epochMilliseconds,
  );

type Db = Parameters<typeof newEntry>[0];

async function addMonths(db: Db, customer: TestCustomer): Promise<void> {
  const at = lastMonth();
  await newEntry(db, customer, { amountCents: 5_000n, takesEffectAt: daysAgo(70), reference: 'earlier' });
  await newEntry(db, customer, {
    amountCents: 1_250n,
    takesEffectAt: at,
    reference: 'Łódź-1',
  });
  await newEntry(db, customer, { amountCents: 2_000n, takesEffectAt: at, reference: 'D-2' });
  await newEntry(db, customer, { kind: 'payment', amountCents: 5_000n, takesEffectAt: at, reference: 'P-1' });
}

test('statement: opening balance, totals by type, transactions, and closing balance', async ({
  page,
  customer,
  db,
}) => {
  await addMonths(db, customer);
  await signIn(page, customer, `/payout/${month(lastMonth())}`);
  const title = `Statement for ${formatMonth(lastMonth(), timeZone)}`;
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Payout', exact: true })).toHaveAttribute(
    'aria-current',
    'true',
  );
  const summary = page.getByRole('region', { name: 'Summary' });
  for (const line of [
    'Opening balance $50.00',
    'Deliveries (2) $32.50',
    'Payments (1) credit of $50.00',
    'Closing balance $32.50',
  ]) {
    await expect(summary.getByRole('row', { name: line })).toBeVisible();
  }
  const transactions = page.getByRole('region', { name: 'Transactions' }).locator('tbody').getByRole('row');
  await expect(transactions).toHaveText([/Łódź-1/, /D-2/, /P-1/]);
});

test('statement: the current month says that it can change, and marks what is scheduled', async ({
  page,
  customer,
  db,
}) => {
  await newEntry(db, customer, { amountCents: 1_000n, takesEffectAt: new Date(Date.now() + 60 * 60_000) });
  await signIn(page, customer, '/payout');
  await page.getByRole('link', { name: 'View statement' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /^Statement for / })).toBeVisible();
  await expect(page.getByText(/^As of .* Includes transactions scheduled through /)).toBeVisible();
});

test('statement: prints on one page without the navigation', { tag: '@thorough' }, async ({
  page,
  customer,
  db,
}) => {
  await addMonths(db, customer);
  await signIn(page, customer, `/payout/${month(lastMonth())}`);
  await expect(page.getByRole('region', { name: 'Transactions' })).toBeVisible();
  const { totalPages, text } = await textOf(await page.pdf({ format: 'letter' }));
  expect(totalPages).toBe(1);
  expect(text).toContain('Scheduling Service');
  expect(text).toContain('Closing balance');
  expect(text).not.toContain('API access');
  expect(text).not.toContain('Download');
});

test('statement: the PDF has the same figures and any letters', async ({ page, customer, db }) => {
  await addMonths(db, customer);
  await signIn(page, customer, `/payout/${month(lastMonth())}`);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download PDF' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe(`statement-${month(lastMonth())}.pdf`);
  const { totalPages, text } = await textOf(await readFile(await file.path()));
  expect(totalPages).toBe(1);
  for (const part of [
    'Scheduling Service',
    'Opening balance',
    'Closing balance',
    '$32.50',
    'Ada Byron',
    'About Łódź-1',
    'D-2',
  ]) {
    expect(text).toContain(part);
  }
});

test('statement: the PDF has words that are read from right to left in their order', async ({
  request,
  customer,
  db,
}) => {
  const takesEffectAt = lastMonth();
  const descriptions = ['משלוח לבית קפה', 'توصيل إلى المقهى'];
  const rows = descriptions.map((description, index) => ({
    customerId: customer.id,
    amountCents: 100n,
    takesEffectAt,
    description,
    reference: `${index}`,
  }));
  await insertEntries(db, rows);
  await signInByRequest(request, customer);
  const file = await request.get(`/payout/${month(takesEffectAt)}/statement.pdf`);
  const { text } = await textOf(await file.body());
  for (const description of descriptions) expect(text).toContain(description);
});

test('statement: a long month continues on numbered pages', async ({ request, customer, db }) => {
  const takesEffectAt = lastMonth();
  const reference = (index: number) => `many-${index}`;
  const row = { customerId: customer.id, amountCents: 100n, takesEffectAt };
  await insertEntries(
    db,
    Array.from({ length: 40 }, (_, index) => ({ ...row, reference: reference(index) })),
  );
  await signInByRequest(request, customer);
  const file = await request.get(`/payout/${month(takesEffectAt)}/statement.pdf`);
  const { totalPages, text } = await textOf(await file.body());
  expect(totalPages).toBeGreaterThan(1);
  expect(text).toContain(`page ${totalPages} of ${totalPages}`);
  for (let count = 0; count < 40; count++) expect(text).toContain(reference(count));
});

test('statement: there is one for every month since the first transaction', async ({
  page,
  customer,
  db,
}) => {
  await newEntry(db, customer, { amountCents: 5_000n, takesEffectAt: new Date('1999-05-15T12:00:00Z') });
  await signInByRequest(page.request, customer);
  const statuses = ['1999-04', '1999-05', '1999-06', '2019-01'].map(async (path) =>
    (await page.request.get(`/payout/${path}`)).status(),
  );
  expect(await Promise.all(statuses)).toEqual([404, 200, 200, 200]);
});

test('statement: 404 for a month that has none; the file needs a session', async ({
  page,
  customer,
  request,
}) => {
  await signInByRequest(page.request, customer);
  for (const path of ['2019-01', '2019-13', 'next', '2999-01']) {
    expect((await page.request.get(`/payout/${path}`)).status()).toBe(404);
    expect((await page.request.get(`/payout/${path}/statement.pdf`)).status()).toBe(404);
  }
  await page.goto('/payout/2019-01');
  await expect(page.getByRole('main')).toHaveText(/Statement not found/);
  await expect(page).toHaveTitle('Statement not found · Scheduling Service');
  await page.getByRole('main').getByRole('link', { name: 'payout' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Payout' })).toBeVisible();
  const current = `/payout/${month(new Date())}`;
  const response = await request.get(`${current}/statement.pdf`, { maxRedirects: 0 });
  expect([response.status(), response.headers().location]).toEqual([
    303,
    `/sign-in?next=${encodeURIComponent(current)}`,
  ]);
});

async function textOf(file: Buffer): Promise<{ totalPages: number; text: string }> {
  return extractText(await getDocumentProxy(new Uint8Array(file)), { mergePages: true });
}
