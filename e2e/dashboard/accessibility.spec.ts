import type { Page } from '@playwright/test';
import { Temporal } from 'temporal-polyfill';
import { dashboardPages } from '#components/layout/nav-items.ts';
import { isThorough } from '#tools/testing/thorough.ts';
import {
  addTestCard,
  expect,
  insertEntries,
  monthTest,
  monthZone,
  newEntry,
  test,
} from '../support/fixtures.ts';
import { expectCleanLayout, expectCleanPage, overlappingTexts } from './expect-clean-page.ts';
import {
  askPoint,
  askToRemove,
  fillCard,
  sendEmptyForm,
  signIn,
  signInByRequest,
  testCards,
  waitForCardFields,
} from './steps.ts';

const signedIn = dashboardPages.map(({ path }) => path);
/** Customers read “transaction”, “type”, and “payment processor” instead. */
const codeTerms = /\b(entry|entries|ledger|kinds?|payment provider)\b/i;
const open = ['/sign-in', '/no-such-page', '/docs', '/docs/no-such-page'];
const statement = `/payout/${Temporal.Now.plainDateISO(monthZone).toPlainYearMonth()}`;

test.use({ expectedFaults: [/status of 404.*no-such-page/] });

const narrow = {
  title: '320 px, also at 400% zoom, with forced colors, and with text spacing',
  width: 320,
};

for (const { title, width } of isThorough ? [narrow, { title: '1280 px', width: 1280 }] : [narrow]) {
  test.describe(title, () => {
    test.use({ viewport: { width, height: 900 } });

    test('signed-in pages, and their titles', async ({ page, customer, clientOf, db }) => {
      test.slow();
      await newEntry(db, customer, { amountCents: 128_450n });
      for (const token of ['tok_visa', 'tok_mastercard']) await addTestCard(clientOf(customer), token);
      await signInByRequest(page.request, customer);
      for (const { path, title } of dashboardPages) {
        await expectCleanPageAt(page, path, expectCleanWithSettings);
        await expect(page).toHaveTitle(`${title} · Scheduling Service`);
        await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
        expect(await page.locator('body').innerText(), 'terms of the code').not.toMatch(codeTerms);
      }
    });

    monthTest(
      'statement, checked point, shortcuts, and a new secret',
      { tag: '@thorough' },
      async ({ page, customer, db }) => {
        test.slow();
        await newEntry(db, customer, { amountCents: 128_450n });
        await signInByRequest(page.request, customer);
        await expectCleanPageAt(page, statement, expectCleanWithSettings);
        await page.keyboard.press('?');
        await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
        await expectCleanPage(page, 'dialog[open]');
        await page.goto('/service-area');
        await askPoint(page, '37.5, -122.1');
        await expect(page.getByText('Inside the service area')).toBeVisible();
        await expectCleanPage(page);
        await page.goto('/api-access');
        await page.getByLabel('Current API secret').fill(customer.apiSecret);
        await page.getByRole('button', { name: 'Rotate secret' }).click();
        await expect(page.getByText('This is your new API secret.')).toBeVisible();
        await expectCleanPage(page);
      },
    );

    test('public pages', { tag: '@thorough' }, async ({ page }) => {
      for (const path of open) await expectCleanPageAt(page, path, expectCleanWithSettings);
    });

    test('card form with errors, remove dialog, account menu, and toast', async ({
      page,
      customer,
      clientOf,
    }) => {
      test.slow();
      await addTestCard(clientOf(customer));
      await signIn(page, customer, '/cards');
      await page.getByRole('link', { name: 'Add a card' }).click();
      await waitForCardFields(page);
      await expectCleanPage(page);
      await sendEmptyForm(page);
      await expectCleanPage(page);
      await fillCard(page, testCards.declined);
      await page.getByRole('button', { name: 'Add card' }).click();
      await expect(page.getByText(/Your bank declined/)).toBeVisible();
      // Without axe, which takes the transparent frames of the fields for white.
      expect(await overlappingTexts(page), 'texts that lie over one another').toEqual([]);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: /^Account: / }).click();
      await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
      await expectCleanPage(page, '#account-menu');
      await page.keyboard.press('Escape');
      await askToRemove(page);
      await expectCleanPage(page, '[role=alertdialog]');
      await page.getByRole('button', { name: 'Remove card' }).click();
      await expect(page.getByText('Visa ending in 4242 was removed.')).toBeVisible();
      const besideToasts = 'nav, main, body > [role=status]';
      expect(await overlappingTexts(page, besideToasts), 'texts that lie over one another').toEqual([]);
    });
  });
}

test.describe('prefers-reduced-motion', () => {
  test.use({ reducedMotion: 'reduce' });

  test('no animation is longer than 1 ms', { tag: '@thorough' }, async ({ page, customer, clientOf }) => {
    await addTestCard(clientOf(customer));
    await signIn(page, customer, '/cards');
    await page.getByRole('link', { name: 'Add a card' }).click();
    const longestMs = await page.evaluate(() =>
      Math.max(
        ...[...document.querySelectorAll('*')].flatMap((element) => {
          const { animationDuration, transitionDuration } = getComputedStyle(element);
          return [animationDuration, transitionDuration].map((text) => Number.parseFloat(text) * 1000);
        }),
      ),
    );
    expect(longestMs).toBeLessThanOrEqual(1);
  });
});

test('forced colors: buttons have a border, and the selected theme, tab, and page differ from the others', {
  tag: '@thorough',
}, async ({ page, customer }) => {
  const background = (role: 'button' | 'tab' | 'link', name: string) =>
    page.getByRole(role, { name }).evaluate((element) => getComputedStyle(element).backgroundColor);
  await page.emulateMedia({ forcedColors: 'active' });
  await signIn(page, customer, '/profile');
  expect(await background('button', 'System')).not.toBe(await background('button', 'Light'));
  await page.goto('/api-access');
  expect(await background('tab', 'curl')).not.toBe(await background('tab', 'JavaScript'));
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await background('link', 'API access')).not.toBe(await background('link', 'Cards'));
  }
  await page.goto('/cards');
  await expect(page.getByRole('link', { name: 'Add a card' })).toHaveCSS('border-top-style', 'solid');
});

monthTest(
  'forced colors: charts follow the system, whatever theme was chosen',
  { tag: '@thorough' },
  async ({ page, customer, db }) => {
    await newEntry(db, customer, { amountCents: 128_450n });
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
    await signIn(page, customer, '/profile');
    await page.getByRole('button', { name: 'Light' }).click();
    await page.goto('/payout');
    const light = 'rgb(236, 238, 240)';
    await expect(page.locator('svg text').getByText('Today')).toHaveCSS('fill', light);
  },
);

/** Expects a clean page, also with what customers may set in their browser or system. */
async function expectCleanWithSettings(page: Page): Promise<void> {
  await expectCleanPage(page);
  const size = page.viewportSize();
  if (size?.width !== 320) return;
  await test.step('400% zoom', async () => {
    // A window of 1280 by 1024 px.
    await page.setViewportSize({ width: 320, height: 256 });
    await expectCleanLayout(page);
    await page.setViewportSize(size);
  });
  await test.step('forced colors', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    await expectWholeTexts(page);
    await page.emulateMedia({ forcedColors: 'none' });
  });
  await test.step('the text spacing of WCAG 1.4.12', async () => {
    await page.evaluate(spaceTexts);
    await expectWholeTexts(page);
    await page.evaluate(() => document.adoptedStyleSheets.pop());
  });
}

/** Runs in the page. */
function spaceTexts(): void {
  const style = new CSSStyleSheet();
  style.replaceSync(`* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }
    p { margin-bottom: 2em !important }`);
  document.adoptedStyleSheets = [style];
}

/** Expects that no text is cut off or covered. */
async function expectWholeTexts(page: Page): Promise<void> {
  expect(await overlappingTexts(page), 'overlapping texts').toEqual([]);
  expect(await cutTexts(page), 'cut texts').toEqual([]);
}

/** @returns the texts that their box hides a part of, except for scrolling boxes and names that are shortened on purpose */
function cutTexts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('main *')]
      .filter((element) => {
        const { overflowX, overflowY, textOverflow } = getComputedStyle(element);
        const hides = (overflow: string, over: number) => /hidden|clip/.test(overflow) && over > 1;
        const isCut =
          hides(overflowX, element.scrollWidth - element.clientWidth) ||
          hides(overflowY, element.scrollHeight - element.clientHeight);
        const isLeftOut = () => element.closest('.map, :has(> * > .map), .sr-only, svg') !== null;
        return isCut && textOverflow !== 'ellipsis' && !isLeftOut();
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  );
}

test.describe('at 400% zoom', () => {
  // A window of 1280 by 1024 px zoomed to 400%.
  test.use({ viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 });

  test('the bar does not cover what has the focus', { tag: '@thorough' }, async ({ page, customer }) => {
    await signIn(page, customer, '/profile');
    await expectCleanLayout(page);
    await page.getByRole('button', { name: 'Sign out everywhere' }).focus();
    await expect(page.getByRole('button', { name: 'Sign out everywhere' })).toBeInViewport({ ratio: 1 });
  });
});

test.describe('at 200% zoom', () => {
  // A window of 1280 px zoomed to 200%.
  test.use({ viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 });

  test('all pages are reachable without horizontal scrolling', { tag: '@thorough' }, async ({
    page,
    customer,
  }) => {
    await signInByRequest(page.request, customer);
    for (const path of signedIn) await expectCleanPageAt(page, path, expectCleanLayout);
    for (const name of ['Overview', 'Payout', 'Cards', 'Service area', 'API access']) {
      await expect(page.getByRole('link', { name, exact: true })).toBeInViewport();
    }
  });
});

for (const [title, width, fontSize] of [
  ['with a text size of 200%', 390, '200%'],
  ['at 320 px', 320, '100%'],
] as const) {
  monthTest(
    `${title}, amounts of billions and words are not split`,
    { tag: '@thorough' },
    async ({ page, customer, db }) => {
      const kinds = ['delivery', 'delivery', 'delivery', 'credit'] as const;
      const entries = [-60_000, 60 * 60_000].flatMap((fromNowMs) =>
        kinds.map((kind, index) => ({
          customerId: customer.id,
          kind,
          amountCents: kind === 'credit' ? -999_999_999_99n : 999_999_999_99n,
          takesEffectAt: new Date(Date.now() + fromNowMs),
          description: 'Monthly wholesale deliveries',
          reference: `${fromNowMs}-${index}`,
        })),
      );
      await insertEntries(db, entries);
      await page.setViewportSize({ width, height: 844 });
      await signInByRequest(page.request, customer);
      for (const path of ['/', '/payout', statement]) {
        await page.goto(path);
        await page.evaluate(setTextSize, fontSize);
        await expectCleanLayout(page);
        expect(await textsOnTwoLines(page), path).toEqual([]);
        if (path !== '/') await expect(page.getByText(/^Scheduled/).first()).toBeVisible();
        await expect(page.getByRole('link', { name: 'API access', exact: true })).toBeInViewport({
          ratio: 1,
        });
      }
    },
  );
}

monthTest(
  'with a text size of 150%, amounts beside charts are not split',
  { tag: '@thorough' },
  async ({ page, customer, db }) => {
    await newEntry(db, customer, { amountCents: 128_450n });
    await page.setViewportSize({ width: 390, height: 844 });
    await signInByRequest(page.request, customer);
    for (const [path, table] of [
      ['/payout', 'Balance by day'],
      ['/service-area', 'Prices as a table'],
    ] as const) {
      await page.goto(path);
      await page.getByText(table).click();
      await page.evaluate(setTextSize, '150%');
      await expectCleanLayout(page);
      expect(await textsOnTwoLines(page), path).toEqual([]);
    }
  },
);

/** Runs in the page. */
function setTextSize(fontSize: string): void {
  const style = new CSSStyleSheet();
  style.replaceSync(`html { font-size: ${fontSize} }`);
  document.adoptedStyleSheets = [style];
}

/** @returns the words and amounts of the page's content that are on more than one line */
function textsOnTwoLines(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts = document.createTreeWalker(document.querySelector('main') as Node, NodeFilter.SHOW_TEXT);
    const split: string[] = [];
    while (texts.nextNode()) {
      const node = texts.currentNode;
      if (!node.parentElement?.checkVisibility() || node.parentElement.closest('.sr-only, script')) continue;
      for (const { 0: word, index } of (node.textContent ?? '').matchAll(
        /\$[\d,.]+|(?<!\S)[A-Za-z]+(?!\S)/g,
      )) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) split.push(word);
      }
    }
    return split;
  });
}

async function expectCleanPageAt(
  page: Page,
  path: string,
  check: (page: Page) => Promise<void>,
): Promise<void> {
  await test.step(path, async () => {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    await check(page);
  });
}
