import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { eq } from 'drizzle-orm';
import { cardFormPath } from '#components/layout/card-form-path.ts';
import { cities } from '#db/schema.ts';
import { checkout } from '#tools/checkout.ts';
import { expect, test } from '../support/fixtures.ts';
import { cardsPath, fillCard, signIn, startCard, testCards, waitForCardFields } from './steps.ts';

/** @returns the scripts of the table in docs/security.md, without that of our host under `next start` */
async function inventory(): Promise<string[]> {
  const document = await readFile(path.join(checkout, 'docs', 'security.md'), 'utf8');
  const section = document.split('## Scripts of the payment page')[1]?.split('\n## ')[0] ?? '';
  const scripts = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, script = '']) => script);
  const isHost = test.info().project.name !== 'plain-next';
  return scripts.filter((script) => isHost || script !== 'inline runScriptsAfterPaint').sort();
}

/** @returns the scripts that the page has loaded, as the inventory names them */
async function scriptsOf(page: Page): Promise<string[]> {
  const scripts = await page.evaluate(() =>
    [...document.scripts].map(
      ({ src, text }) =>
        src ||
        `inline ${/self\.__next_f|TURBOPACK|runScriptsAfterPaint/.exec(text)?.[0] ?? text.slice(0, 100)}`,
    ),
  );
  const { origin } = new URL(page.url());
  const named = scripts.map((script) =>
    script
      .replace(origin, '')
      .replace(/(chunks\/).*\.js$/, '$1*.js')
      .replace(/^http:\/\/127\.0\.0\.1:\d+/, 'https://js.stripe.com'),
  );
  return [...new Set(named)].sort();
}

/** @returns the values of a directive of the document's content security policy */
async function reloadedDirective(page: Page, name: string): Promise<string> {
  const policy = (await page.request.get(page.url())).headers()['content-security-policy'] ?? '';
  return policy.split('; ').find((directive) => directive.startsWith(name)) ?? '';
}

// The browser reports responses with an error.
test.use({ expectedFaults: [/status of 401/] });

test('payment page: loads the scripts of the inventory and no others', async ({ page, customer }) => {
  await signIn(page, customer, cardFormPath);
  await page.getByRole('link', { name: 'Add a card' }).click();
  await waitForCardFields(page);
  expect(await scriptsOf(page)).toEqual(await inventory());
});

test('payment page: does not share a document with other pages, also in the history', async ({
  page,
  customer,
}) => {
  const mark = () => page.evaluate(() => document.body.setAttribute('data-document', location.pathname));
  const documentOf = () => page.locator('body').getAttribute('data-document');
  const visit = async (name: string, pathname: string) => {
    await page.getByRole('link', { name, exact: true }).first().click();
    await expect(page).toHaveURL(pathname);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
  };
  await signIn(page, customer, '/payout');
  await mark();
  await visit('Service area', '/service-area');
  await visit('Overview', '/');
  expect(await documentOf(), 'other pages share a document').toBe('/payout');
  expect(await reloadedDirective(page, 'frame-src')).toBe("frame-src 'none'");
  await visit('Cards', '/cards');
  expect(await documentOf()).toBeNull();
  await mark();
  await page.getByRole('link', { name: 'Add a card' }).click();
  await waitForCardFields(page);
  await visit('Payout', '/payout');
  expect(await documentOf()).toBeNull();
  expect(await page.locator('script[src*=stripe]').count()).toBe(0);
  expect(await reloadedDirective(page, 'frame-src')).toBe("frame-src 'none'");
  await page.goBack();
  await page.getByRole('link', { name: 'Add a card' }).click();
  await waitForCardFields(page);
});

test('payment page: does not share a document with sign-in after the session has ended', async ({
  page,
  context,
  customer,
}) => {
  await signIn(page, customer, cardFormPath);
  await page.evaluate(() => document.body.setAttribute('data-document', location.pathname));
  await context.clearCookies();
  await page.getByRole('link', { name: 'Cards', exact: true }).click();
  await expect(page).toHaveURL(/^.*\/sign-in\?next=%2Fcards$/);
  await expect(page.getByLabel('API key')).toBeVisible();
  await expect(page.locator('body')).not.toHaveAttribute('data-document');
});

test('payment page: stays as it is when the session ends before the page is read again', async ({
  page,
  context,
  customer,
}) => {
  await signIn(page, customer, cardFormPath);
  await startCard(page, testCards.good);
  await page.route(cardsPath, async (route) => {
    const response = await route.fetch();
    await context.clearCookies();
    await route.fulfill({ response });
  });
  const readAgain = page.waitForResponse((response) => new URL(response.url()).pathname === cardFormPath);
  await page.getByRole('button', { name: 'Add card' }).click();
  await readAgain;
  await expect(page.getByText('Visa ending in 4242 was added.')).toBeVisible();
  await expect(page.getByText('You were signed out.')).toBeVisible();
  await page.getByRole('link', { name: 'Add a card' }).click();
  await waitForCardFields(page);
  await expect(page).toHaveURL(cardFormPath);
});

test.describe('an error page', () => {
  test.use({ expectedFaults: [/status of 500|React error #441/] });

  test('payment page: does not share a document with sign-in after an error', async ({
    page,
    context,
    customer,
    db,
  }) => {
    await signIn(page, customer, '/profile');
    const setZone = (timezone: string) =>
      db.update(cities).set({ timezone }).where(eq(cities.slug, customer.city.slug));
    await setZone('Nowhere/Else');
    await page.goto(cardFormPath);
    await page.evaluate(() => document.body.setAttribute('data-document', location.pathname));
    await setZone('America/Los_Angeles');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByLabel('API key')).toBeVisible();
    await expect(page.locator('body')).not.toHaveAttribute('data-document');
  });
});

test('payment page: a click before the page’s scripts have run opens the form', async ({
  page,
  customer,
}) => {
  let run: () => void = () => undefined;
  const clicked = new Promise<void>((resolve) => {
    run = resolve;
  });
  await signIn(page, customer, '/payout');
  await page.route('**/_next/static/chunks/*.js', async (route) => {
    await clicked;
    await route.continue();
  });
  await page.goto('/cards', { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'Add a card' }).click();
  run();
  await waitForCardFields(page);
  await expect(page, 'the history does not open the form again').toHaveURL('/cards');
  await fillCard(page, testCards.good);
  await page.getByRole('button', { name: 'Add card' }).click();
  await expect(page.getByText('Visa ending in 4242 was added.').first()).toBeVisible();
  // The router updates the URL with the page that was read again.
  await expect.poll(() => page.evaluate(() => history.state?.__NA)).toBe(true);
  await expect(page, 'nor after the card was added').toHaveURL('/cards');
});

test.describe('a blocked script', () => {
  test.use({ expectedFaults: [/Content Security Policy/] });

  test('payment page: reports a script that is not allowed', async ({ page, customer }) => {
    await signIn(page, customer, '/cards');
    const reported = page.waitForResponse('/api/csp-reports');
    await page.evaluate(() => {
      document.body.insertAdjacentHTML(
        'beforeend',
        '<img src="x:" onerror="fetch(\'https://evil.example\')">',
      );
    });
    expect((await reported).status()).toBe(204);
  });
});
