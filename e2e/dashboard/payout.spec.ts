import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { Temporal } from 'temporal-polyfill';
import { zoneName } from '#components/ui/dates.tsx';
import type { Database } from '#db/client.ts';
import { addEntry } from '#src/ledger/add-entry.ts';
import type { EntryKind } from '#src/ledger/entry.ts';
import { reverseEntry } from '#src/ledger/reverse-entry.ts';
import { expect, monthZone, type TestCustomer, monthTest as test } from '../support/fixtures.ts';
import { comeBackLater } from './network-faults.ts';
import { addDeliveries, signIn, signInByRequest } from './steps.ts';

const entries = (page: Page) => page.getByRole('region', { name: 'Transactions', exact: true });
const rows = (page: Page) => entries(page).locator('tbody').getByRole('row');

const zone = zoneName(monthZone);

/** 6 p.m. on the 15th some months ago, in the time zone of the customer's city. */
function monthsAgo(months: number): Date {
  const evening = Temporal.Now.zonedDateTimeISO(monthZone).subtract({ months }).with({ day: 15, hour: 18 });
  return new Date(evening.epochMilliseconds);
}

/** The first second of the current month there: later days of it can be in the future. */
function thisMonth(): Date {
  const first = Temporal.Now.zonedDateTimeISO(monthZone).with({ day: 1 }).startOfDay();
  return new Date(first.epochMilliseconds);
}

type NewEntry = { kind?: EntryKind; cents: bigint; at: Date; description?: string; reference: string };

async function add(db: Database, { username }: TestCustomer, entry: NewEntry): Promise<void> {
  const { kind = 'delivery', cents, at, description = 'A delivery', reference } = entry;
  await addEntry(
    { db, actor: 'tests' },
    { username, kind, amountCents: cents, takesEffectAt: at, description, reference },
  );
}

for (const path of ['/', '/payout']) {
  test(`payout: all that ${path} says of the balance follows when it changes`, async ({
    page,
    customer,
    db,
  }) => {
    await add(db, customer, { cents: 10_000n, at: monthsAgo(1), reference: 'last-month' });
    await page.clock.install();
    await signIn(page, customer, path);
    await expect(page.getByText('$100.00', { exact: true }).first()).toBeVisible();
    // A second change must not be missed because of the first one.
    for (const [cents, due] of [
      [5_000n, '$150.00'],
      [7_000n, '$220.00'],
    ] as const) {
      const description = `For ${due}`;
      await add(db, customer, { cents, at: thisMonth(), description, reference: due });
      // The page may not be hydrated yet, and then does not notice the first return.
      await expect(async () => {
        await comeBackLater(page);
        await expect(page.getByText(due, { exact: true }).first()).toBeVisible({ timeout: 5_000 });
      }).toPass();
      await expect(page.getByText(description)).toBeVisible();
    }
    if (path === '/') return;
    const breakdown = page.getByRole('table', { name: 'Breakdown of the balance due' });
    await expect(breakdown.getByRole('row')).toHaveText(['Opening balance$100.00', 'Deliveries (2)$120.00']);
  });
}

for (const [width, path] of [
  [320, '/'],
  [1024, '/payout'],
] as const) {
  test(`payout: a balance of $100 million is on one line of ${path} at ${width} px`, {
    tag: '@thorough',
  }, async ({ page, customer, db }) => {
    await page.setViewportSize({ width, height: 800 });
    await add(db, customer, { cents: 12_345_678_901n, at: thisMonth(), reference: 'large' });
    await signIn(page, customer, path);
    const amount = page
      .getByRole('main')
      .getByRole('paragraph')
      .filter({ hasText: /^\$123,456,789\.01$/ });
    const lines = amount.evaluate(
      (element) => element.clientHeight / Number.parseFloat(getComputedStyle(element).lineHeight),
    );
    expect(Math.round(await lines)).toBe(1);
  });
}

test('payout: shows the balance due, the due date, and the balance plot', async ({ page, customer, db }) => {
  await add(db, customer, { cents: 10_000n, at: monthsAgo(1), reference: 'last-month' });
  await add(db, customer, { kind: 'payment', cents: 2_500n, at: thisMonth(), reference: 'paid' });
  await signIn(page, customer, '/payout');
  await expect(page.getByText('$75.00', { exact: true }).first()).toBeVisible();
  await expect(page.getByText(new RegExp(`^Due \\w{3},\\xa0\\w{3}\\xa0\\d+, ${zone}$`))).toBeVisible();
  await expect(page.getByText('Includes transactions scheduled through that date.')).toBeHidden();
  const breakdown = page.getByRole('table', { name: 'Breakdown of the balance due' });
  await expect(breakdown.getByRole('row')).toHaveText([
    'Opening balance$100.00',
    'Payments (1)credit of $25.00',
  ]);
  // The count stays on the line of the type.
  await expect(breakdown.getByRole('rowheader').last()).toHaveJSProperty('textContent', 'Payments\xa0(1)');
  await expect(page.getByRole('img', { name: /^Chart of the balance through the month/ })).toBeVisible();
  await expect(page.getByRole('img', { name: /^Bar chart of the balance.* to \$100\.00 \(/ })).toBeVisible();
  await page.getByText('Balance by day').click();
  await expect(page.getByRole('row', { name: 'Start of the month $100.00' })).toBeVisible();
  await page.getByText('Balance and statement by month').click();
  const months = page.getByRole('region', { name: 'Last 12 months' });
  await expect(months.getByRole('row')).toHaveCount(13);
  await expect(months.getByRole('row').nth(1)).toContainText('$75.00');
  await expect(months.getByText('(scheduled)')).toHaveCount(0);
  await expect(months.getByRole('row').nth(2)).toContainText('$100.00');
  // The months before have no statement.
  await expect(months.getByRole('link')).toHaveCount(2);
});

test('payout: is shown in a browser that does not know the city’s time zone', async ({
  page,
  customer,
  db,
}) => {
  await add(db, customer, { cents: 1_000n, at: thisMonth(), reference: 'one' });
  await page.addInitScript((known) => {
    const { DateTimeFormat } = Intl;
    Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
      construct: (Format, [locale, options]: ConstructorParameters<typeof DateTimeFormat>) => {
        if (options?.timeZone && options.timeZone !== known)
          throw new RangeError('Invalid time zone specified');
        return new Format(locale, options);
      },
    });
  }, 'UTC');
  await signIn(page, customer);
  for (const path of ['/', '/payout']) {
    await page.goto(path);
    await expect(page.getByText(new RegExp(`^Due .*, ${zone}$`))).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Balance due' })).toBeVisible();
  }
});

test('payout: marks scheduled deliveries', async ({ page, customer, db }) => {
  const soon = new Date(Date.now() + 60 * 60_000);
  await add(db, customer, { cents: 1_000n, at: monthsAgo(1), reference: 'done' });
  await add(db, customer, { cents: 2_000n, at: soon, reference: 'ahead' });
  await signIn(page, customer, '/payout');
  await expect(
    page.getByRole('img', { name: /With scheduled transactions \(dashed line\), you’ll owe \$30\.00 on/ }),
  ).toBeVisible();
  await expect(page.getByText('Includes transactions scheduled through that date.')).toBeVisible();
  await expect(page.getByRole('row', { name: 'Scheduled deliveries (1) $20.00' })).toBeVisible();
  await expect(rows(page).filter({ hasText: 'ahead' })).toContainText('Scheduled');
  await expect(rows(page).filter({ hasText: 'done' })).not.toContainText('Scheduled');
});

test('payout: shows a credit without a minus sign', async ({ page, customer, db }) => {
  await add(db, customer, { kind: 'credit', cents: 1_200n, at: monthsAgo(1), reference: 'sorry' });
  await signIn(page, customer, '/payout');
  await expect(page.getByText(/^You have a \$12\.00 credit\. Nothing is due for/)).toBeVisible();
  await expect(page.getByText('Includes transactions scheduled through that date.')).toBeHidden();
  await expect(rows(page).filter({ hasText: 'sorry' })).toContainText('credit of $12.00');
  await expect(page.locator('main')).not.toContainText(/[-−]\$/);
});

test('payout: shows the time zone once on a phone', { tag: '@thorough' }, async ({ page, customer, db }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await add(db, customer, { cents: 1_000n, at: monthsAgo(1), reference: 'done' });
  await signIn(page, customer, '/payout');
  await expect(entries(page).getByText(zone).and(page.locator(':visible'))).toHaveCount(1);
});

test('payout: shows an empty state without transactions', { tag: '@thorough' }, async ({
  page,
  customer,
}) => {
  await signIn(page, customer, '/payout');
  await expect(entries(page).getByText('No transactions yet')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Download CSV' })).toBeHidden();
  await expect(page.getByText('$0.00').first()).toBeVisible();
});

test('transactions: filters by type, month, and text in the URL', async ({ page, customer, db }) => {
  await add(db, customer, {
    cents: 1_000n,
    at: thisMonth(),
    reference: 'one',
    description: 'To the harbor',
  });
  await add(db, customer, {
    cents: 2_000n,
    at: monthsAgo(2),
    reference: 'two',
    description: 'To 100% Bakery',
  });
  await add(db, customer, { kind: 'credit', cents: 500n, at: monthsAgo(2), reference: 'three' });
  await signIn(page, customer, '/payout');
  await expect(rows(page)).toHaveCount(3);

  await page.getByLabel('Type', { exact: true }).selectOption('Credit');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(rows(page)).toHaveCount(1);
  await expect(page).toHaveURL(/type=credit/);

  await page.getByRole('link', { name: 'Clear filter' }).click();
  await expect(rows(page)).toHaveCount(3);
  await page
    .getByLabel('Month', { exact: true })
    .selectOption({ value: monthsAgo(2).toISOString().slice(0, 7) });
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(rows(page)).toHaveCount(2);

  await page.getByLabel('Description or reference').fill('100%');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('To 100% Bakery');

  await page.getByLabel('Description or reference').fill('nothing like it');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(entries(page).getByText('No results')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Download CSV' })).toBeHidden();
  await page.goBack();
  await expect(rows(page)).toContainText('To 100% Bakery');
});

test('transactions: pages 4,000 entries, each once', async ({ page, customer, db }) => {
  await addDeliveries(db, customer, 4_000);
  await signIn(page, customer, '/payout');
  const shown = () => rows(page).locator('.font-mono');
  const follow = async (name: string) =>
    page.goto((await page.getByRole('link', { name }).getAttribute('href')) ?? '');
  const references: string[] = [];
  for (let turn = 0; turn < 5; turn++) {
    await expect(rows(page)).toHaveCount(25);
    references.push(...(await shown().allTextContents()));
    await follow('Older');
  }
  expect(references).toEqual(Array.from({ length: 125 }, (_, index) => `N-${index + 1}`));
  for (const first of ['N-101', 'N-76']) {
    await follow('Newer');
    await expect(shown().first()).toHaveText(first);
  }
  await follow('Back to latest');
  await expect(shown().first()).toHaveText('N-1');
  await expect(page.getByRole('link', { name: 'Newer' })).toBeHidden();

  // A page searches 2,000 entries.
  await page.goto('/payout?search=number+3777');
  await expect(entries(page).getByText('No results yet')).toBeVisible();
  const goOn = entries(page).getByText(
    /^Transactions before .* haven’t been searched yet\. To search them, choose Older\.$/,
  );
  await expect(goOn).toBeVisible();
  await follow('Older');
  await expect(shown()).toHaveText(['N-3777']);
  await expect(goOn).toBeVisible();
});

test('CSV: contains every listed transaction and escapes formulas', async ({ page, customer, db }) => {
  await addDeliveries(db, customer, 1_500);
  const description = '=HYPERLINK("https://example.com","open")';
  await add(db, customer, {
    kind: 'credit',
    cents: 1_250n,
    at: thisMonth(),
    reference: 'trap',
    description,
  });
  await signIn(page, customer, '/payout');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('transactions.csv');
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  expect(lines[0]).toBe('takes_effect_at,kind,amount,description,reference,reverses');
  expect(lines).toHaveLength(1 + 1_501);
  expect(lines.find((line) => line.includes('trap'))).toContain(
    ',credit,-12.50,"\'=HYPERLINK(""https://example.com"",""open"")",trap,',
  );

  await page.goto('/payout?type=credit');
  const narrowed = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  const credits = await readFile(await (await narrowed).path(), 'utf8');
  expect(credits.trimEnd().split('\r\n')).toHaveLength(2);
});

test('CSV: only for its owner, no-store', async ({ customer, request }) => {
  const signedOut = await request.get('/payout/transactions.csv?type=credit', { maxRedirects: 0 });
  expect(signedOut.status()).toBe(303);
  expect(signedOut.headers().location).toBe('/sign-in?next=%2Fpayout%3Ftype%3Dcredit');
  await signInByRequest(request, customer);
  const own = await request.get('/payout/transactions.csv');
  expect(own.status()).toBe(200);
  expect(own.headers()['cache-control']).toBe('no-store');
  const crossSite = await request.get('/payout/transactions.csv', {
    headers: { 'sec-fetch-site': 'cross-site' },
  });
  expect(crossSite.status()).toBe(403);
});

test('transactions: shows reversed and reversing entries', async ({ page, customer, db }) => {
  await add(db, customer, { cents: 900n, at: thisMonth(), reference: 'wrong' });
  await reverseEntry({ db, actor: 'tests' }, { username: customer.username, reference: 'wrong' });
  await signIn(page, customer, '/payout');
  await expect(rows(page).filter({ hasText: 'Reverses wrong' })).toContainText('credit of $9.00');
  await expect(rows(page).filter({ hasText: 'Reversed by reversal:wrong' })).toContainText('$9.00');
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('transactions: filters and pages', { tag: '@thorough' }, async ({ page, customer, db }) => {
    await addDeliveries(db, customer, 60);
    await signIn(page, customer, '/payout');
    await expect(rows(page)).toHaveCount(25);
    await page.getByRole('link', { name: 'Older' }).click();
    await expect(rows(page).first()).toContainText('N-26');
    await page.getByRole('link', { name: 'Newer' }).click();
    await expect(rows(page).locator('.font-mono').first()).toHaveText('N-1');
    await expect(page.getByRole('link', { name: 'Newer' })).toBeHidden();
    await page.getByRole('link', { name: 'Older' }).click();
    await expect(rows(page).first()).toContainText('N-26');
    await page.getByLabel('Description or reference').fill('number 7');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await expect(rows(page)).toHaveCount(1);
  });
});

test('payout: prints the amount and transactions without controls', { tag: '@thorough' }, async ({
  page,
  customer,
  db,
}) => {
  await addDeliveries(db, customer, 30);
  await signIn(page, customer, '/payout');
  await page.emulateMedia({ media: 'print' });
  await expect(rows(page)).toHaveCount(25);
  await expect(page.getByText(/^Due /)).toBeVisible();
  for (const name of ['Older', 'Download CSV', 'View statement', 'Cards']) {
    await expect(page.getByRole('link', { name, exact: true })).toBeHidden();
  }
  await expect(page.getByLabel('Type', { exact: true })).toBeHidden();
});
