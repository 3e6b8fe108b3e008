import { tmpdir } from 'node:os';
import { clientPackage } from '#src/client-package.ts';
import { docsPath } from '#src/docs/page.ts';
import { docsPages } from '#src/docs/pages.ts';
import { readSettings } from '#src/settings.ts';
import {
  axeOf,
  expectCleanLayout,
  expectNoAxeViolations,
  overlappingTexts,
} from '../dashboard/expect-clean-page.ts';
import { pageScripts } from '../dashboard/network-faults.ts';
import { signIn } from '../dashboard/steps.ts';
import { expect, newCustomer, test } from '../support/fixtures.ts';
import { fencedBlocks, runSample } from './code-samples.ts';

const settings = readSettings({});

/** A dark page differs from the light one, which is checked by all rules, in nothing but colors. */
const rulesInDark = process.env.FULL ? [] : ['color-contrast'];

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('API docs: readable and navigable', async ({ page }) => {
    await page.goto('/docs');
    await page
      .getByRole('navigation', { name: 'Pages', exact: true })
      .getByRole('link', { name: 'Add a card' })
      .click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add a card');
    await expect(page.locator('nav:visible [aria-current=page]')).toHaveText('Add a card');
    await expect(page.getByText('curl -s "http')).toBeVisible();
    await expect(page.getByText('urllib.request.Request(')).toBeVisible();
    await page.getByRole('link', { name: '424' }).click();
    await expect(page).toHaveURL(/\/docs\/errors#status-424$/);
    await expect(page.getByText('could not be reached or failed. Try again').first()).toBeVisible();
  });

  test('API docs search: the server finds sections by words', async ({ page }) => {
    await page.goto('/docs');
    await page.getByRole('combobox', { name: 'Search the docs' }).fill('rotate secret');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/docs\/search\?q=rotate/);
    const results = page.locator('main');
    await results.getByRole('link', { name: 'Authentication: Rotate a secret' }).click();
    await expect(page).toHaveURL(/\/docs\/authentication#rotate-a-secret$/);
    await page.goto('/docs/search?q=zzzz');
    await expect(page.getByText('No results for “zzzz”')).toBeVisible();
  });

  test('API console: says that it requires JavaScript', async ({ page }) => {
    await page.goto('/docs/get-the-payout');
    await expect(page.locator('#console + div')).toHaveText(
      'The console requires JavaScript. The code samples above send the same request.',
      { useInnerText: true },
    );
    await expect(page.getByRole('form', { name: /^Console/ })).toHaveCount(0);
    await expect(page.locator('main').getByRole('button')).toHaveCount(0);
  });
});

for (const url of docsPages(settings).map(({ slug }) => docsPath(slug))) {
  test(`${url}: no accessibility violations in any width or color, and no third-party requests`, async ({
    page,
  }) => {
    const origins = new Set<string>();
    page.on('request', (request) => origins.add(new URL(request.url()).origin));
    await page.goto(url);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectNoAxeViolations(page);
    // The narrowest width at which a table isn't shown as a list.
    await page.setViewportSize({ width: 660, height: 740 });
    expect(await overlappingTexts(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 320, height: 900 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectCleanLayout(page);
    await expectNoAxeViolations(page, rulesInDark);
    expect([...origins]).toEqual([new URL(page.url()).origin]);
  });
}

test('API console: calls this service with keys that stay in the page', async ({ page, customer }) => {
  await page.goto('/docs/get-the-payout#console');
  const form = page.getByRole('form', { name: 'Console: getPayout' });
  await form.getByLabel('API key').fill(customer.apiKey);
  await form.getByLabel('API secret').fill(customer.apiSecret);
  await form.getByRole('button', { name: 'Send GET' }).click();
  await expect(form.getByText(/HTTP 200 in \d+ ms/)).toBeVisible();
  await expect(form.getByText('"amount_cents": 0')).toBeVisible();
  await expect(form.getByText(/x-request-id: [0-9a-f-]{36}/)).toBeVisible();

  await page
    .getByRole('navigation', { name: 'Pages', exact: true })
    .getByRole('link', { name: 'Add a card' })
    .click();
  await expect(page.getByRole('heading', { level: 1, name: 'Add a card' })).toBeVisible();
  await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Console' }).click();
  const adding = page.getByRole('form', { name: 'Console: addCard' });
  await expect(adding.getByLabel('API secret')).toHaveValue(customer.apiSecret);
  await adding.getByRole('button', { name: 'Send POST' }).click();
  await expect(adding.getByText('"brand": "visa"')).toBeVisible();

  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  expect(stored + page.url()).not.toContain(customer.apiSecret);
  await page.goto('/docs/add-a-card#console');
  await page.reload();
  await expect(adding.getByLabel('API secret')).toHaveValue('');
});

test.describe('with invalid credentials', () => {
  test.use({ expectedFaults: [/status of 403/] });

  test("API console: shows the service's error", async ({ page, customer }) => {
    await page.goto('/docs/remove-a-card#console');
    const form = page.getByRole('form', { name: 'Console: removeCard' });
    await form.getByLabel('API key').fill(customer.apiKey);
    await form.getByLabel('API secret').fill('secret_test_wrong');
    await form.getByLabel('uuid').fill('1');
    await form.getByRole('button', { name: 'Send DELETE' }).click();
    await expect(form.getByText('Invalid credentials.')).toBeVisible();
  });
});

test.describe('with a script that does not load', () => {
  test.use({ expectedFaults: [/Failed to load resource/] });

  test('API console: says that it did not load, and loads on a retry', async ({ page }) => {
    await page.route(pageScripts, async (route) => {
      const response = await route.fetch();
      const body = await response.text();
      await (body.includes('Copy as curl') ? route.abort() : route.fulfill({ response, body }));
    });
    await page.goto('/docs/get-the-payout#console');
    await expect(page.getByText('The console didn’t load.')).toBeVisible();
    await page.unroute(pageScripts);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('form', { name: 'Console: getPayout' })).toBeVisible();
  });
});

test('API console: says at its fields what is missing', async ({ page }) => {
  await page.goto('/docs/remove-a-card#console');
  const form = page.getByRole('form', { name: 'Console: removeCard' });
  await form.getByLabel('uuid').fill('1');
  await form.getByRole('button', { name: 'Send DELETE' }).click();
  await expect(form.getByLabel('API key')).toBeFocused();
  await expect(form.getByLabel('API key')).toHaveAccessibleDescription('Enter an API key.');
  await expect(form.getByLabel('API secret')).toHaveAccessibleDescription('Enter the secret for this key.');
  await expect(form.getByLabel('uuid')).toHaveAccessibleDescription('');
  await expect(form.getByLabel('uuid')).toHaveValue('1');
});

test('API console: says at its field which credential has a character that no header can have', async ({
  page,
}) => {
  await page.goto('/docs/get-the-payout#console');
  const form = page.getByRole('form', { name: 'Console: getPayout' });
  await form.getByLabel('API key').fill('key_test_1');
  await form.getByLabel('API secret').fill('secret_test_…');
  await form.getByRole('button', { name: 'Send GET' }).click();
  await expect(form.getByLabel('API secret')).toBeFocused();
  await expect(form.getByLabel('API secret')).toHaveAccessibleDescription(
    'It contains a character that isn’t in any key or secret.',
  );
  await expect(form.getByLabel('API key')).toHaveAccessibleDescription('');
  await expect(form.getByText('We couldn’t reach the service.')).toHaveCount(0);
});

test('API docs: every page has a Markdown version listed in /llms.txt', async ({ api, baseURL }) => {
  const list = await api('GET', '/llms.txt');
  expect(list.headers['content-type']).toBe('text/plain; charset=utf-8');
  const navigation = (await api('GET', '/docs')).text;
  for (const { slug, title } of docsPages(settings)) {
    const url = docsPath(slug);
    expect(navigation).toContain(`href="${url}"`);
    expect(list.text).toContain(`[${title}](${baseURL}${url}.md)`);
    const copy = await api('GET', `${url}.md`);
    expect([copy.status, copy.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(copy.text).toMatch(new RegExp(`^# ${title}\n`));
  }
});

test.describe('unknown docs page', () => {
  test.use({ expectedFaults: [/status of 404/] });

  test('shows a message beside the list of pages', async ({ page }) => {
    const response = await page.goto('/docs/nothing');
    expect(response?.status()).toBe(404);
    await expect(page).toHaveTitle(/^Page not found/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found');
    await page
      .getByRole('navigation', { name: 'Pages', exact: true })
      .getByRole('link', { name: 'Add a card' })
      .click();
    await expect(page.getByRole('heading', { level: 1, name: 'Add a card' })).toBeVisible();
  });
});

test.describe('unknown docs page without JavaScript', { tag: '@host' }, () => {
  test.use({ javaScriptEnabled: false, expectedFaults: [/status of 404/] });

  test('shows a message with links', async ({ page }) => {
    await page.goto('/docs/nothing');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found');
    await page.getByRole('link', { name: 'Go to the quickstart' }).click();
    await expect(page).toHaveURL('/docs');
  });
});

test('API docs: an unknown Markdown page returns 404', async ({ api }) => {
  expect((await api('GET', '/docs/nothing.md')).status).toBe(404);
});

for (const [accept, type] of [
  ['text/html, text/markdown', 'text/markdown'],
  ['text/markdown; q=0.8, text/html; q=0.7', 'text/markdown'],
  ['text/html, text/markdown;q=0', 'text/html'],
  ['text/markdown ; q=0.000, */*', 'text/html'],
]) {
  test(`API docs: Accept: ${accept} returns ${type}`, async ({ api }) => {
    const { headers } = await api('GET', '/docs/errors', { headers: { Accept: accept ?? '' } });
    expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
  });
}

test('API docs: an unknown package of the client returns 404 with the URL of the current one', async ({
  api,
  baseURL,
}) => {
  const { status, text } = await api('GET', '/client/scheduling-service-client-0.9.0.tgz');
  expect([status, text]).toEqual([
    404,
    `Not found. The current package is ${baseURL}/client/${clientPackage}.\n`,
  ]);
});

test('API docs: every page has a Markdown version by URL and by media type, and all are in llms-full.txt', async ({
  api,
  baseURL,
}) => {
  const all = (await api('GET', '/llms-full.txt')).text;
  for (const url of docsPages(settings).map(({ slug }) => docsPath(slug))) {
    const markdown = await api('GET', `${url}.md`);
    const accepted = await api('GET', url, { headers: { Accept: 'text/markdown' } });
    expect(accepted.headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(accepted.headers.vary).toContain('Accept');
    expect(accepted.text).toBe(markdown.text);
    expect(all).toContain(markdown.text);
    const alternate = `<link rel="alternate" type="text/markdown" href="${baseURL}${url}.md"/>`;
    expect((await api('GET', url)).text).toContain(alternate);
  }
});

test('API docs: every code sample is copied as it is, and has colors', async ({ api, page }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = async (text) => void Object.assign(window, { copied: text });
  });
  const { text: markdown } = await api('GET', '/docs/collect-a-card.md');
  const samples = fencedBlocks(markdown);
  expect(samples.length).toBeGreaterThan(5);
  await page.goto('/docs/collect-a-card');
  for (const { title, code } of samples) {
    const figure = page.locator('figure').filter({ has: page.getByText(title, { exact: true }) });
    // The button works once the page is interactive.
    await expect(async () => {
      await figure.getByRole('button', { name: `Copy “${title}”` }).click();
      expect(await page.evaluate(() => (window as { copied?: string }).copied)).toBe(code);
    }).toPass();
    await expect(figure.locator('code')).toHaveText(code);
  }
  const keyword = page.locator('figure code').getByText('const', { exact: true }).first();
  const colors = await keyword.evaluate((element) =>
    [element, element.closest('code')].map((one) => one && getComputedStyle(one).color),
  );
  expect(new Set(colors).size).toBe(2);
});

test('API docs: links lead to the sections of a page and to its neighbors', async ({ page }) => {
  await page.goto('/docs/idempotency');
  const neighbors = page.getByRole('navigation', { name: 'Previous and next page' });
  await neighbors.getByRole('link', { name: /^Next:/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Rate limits');
  await neighbors.getByRole('link', { name: 'Previous: Idempotency' }).click();
  await expect(page).toHaveURL(/\/docs\/idempotency$/);
  await page.goto('/docs/authentication');
  const contents = page.getByRole('navigation', { name: 'On this page' });
  await contents.getByRole('link', { name: 'Rotate a secret' }).click();
  await expect(page).toHaveURL(/#rotate-a-secret$/);
});

test('API docs search: opens by keyboard and goes to the selected section', async ({ page }) => {
  await page.goto('/docs/errors');
  const search = page.getByRole('combobox', { name: 'Search the docs' });
  // The shortcut works once the page is interactive.
  await expect(async () => {
    await page.keyboard.press('/');
    await expect(search).toBeFocused({ timeout: 500 });
  }).toPass();
  await search.pressSequentially('rotate secret');
  const option = page.getByRole('option', { name: /^Authentication: Rotate a secret/ });
  await expect(option).toBeVisible();
  await expect(page.getByRole('search').getByRole('status')).toHaveText(/^\d results?$/);
  await page.keyboard.press('ArrowDown');
  await expect(option).toHaveAttribute('aria-selected', 'true');
  const { violations } = await axeOf(page).include('search').analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/docs\/authentication#rotate-a-secret$/);
  await expect(page.getByRole('listbox')).toBeHidden();
});

test('API docs search: the arrow keys scroll a long list of results', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 320 });
  await page.goto('/docs/errors');
  const search = page.getByRole('combobox', { name: 'Search the docs' });
  const options = page.getByRole('option');
  await expect(async () => {
    await search.fill('');
    await search.pressSequentially('card');
    await expect(options).toHaveCount(8, { timeout: 1_000 });
  }).toPass();
  await expect(options.last()).not.toBeInViewport();
  for (let count = 0; count < 8; count += 1) await search.press('ArrowDown');
  await expect(options.last()).toHaveAttribute('aria-selected', 'true');
  await expect(options.last()).toBeInViewport({ ratio: 1 });
  const { violations } = await axeOf(page).include('search').analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  await search.press('ArrowDown');
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  // Typing ends the selection, and ArrowUp starts at the end.
  await search.pressSequentially('s');
  await search.press('Backspace');
  await expect(page.getByRole('option', { selected: true })).toHaveCount(0);
  await search.press('ArrowUp');
  await expect(options.last()).toHaveAttribute('aria-selected', 'true');
});

test('API docs search: says that nothing was found', async ({ page }) => {
  await page.goto('/docs/errors');
  const search = page.getByRole('combobox', { name: 'Search the docs' });
  await expect(async () => {
    await search.fill('');
    await search.pressSequentially('zzzz');
    await expect(page.getByRole('search').getByText('No results')).toBeInViewport({ timeout: 1_000 });
  }).toPass();
});

test('API docs search: / does nothing with shortcuts turned off', async ({ page, baseURL }) => {
  await page.context().addCookies([{ name: 'shortcuts', value: 'off', url: baseURL ?? '' }]);
  await page.goto('/docs/errors');
  const search = page.getByRole('combobox', { name: 'Search the docs' });
  await expect(async () => {
    await page.keyboard.press('Control+k');
    await expect(search).toBeFocused({ timeout: 500 });
  }).toPass();
  await search.blur();
  await page.keyboard.press('/');
  await expect(search).not.toBeFocused();
});

test('API docs: code tabs leave Alt and arrows to the browser, and know Home and End', async ({ page }) => {
  await page.goto('/docs/get-the-payout');
  const [first, second, last] = [
    page.getByRole('tab', { name: 'curl' }),
    page.getByRole('tab', { name: 'JavaScript' }),
    page.getByRole('tab').last(),
  ];
  await first.press('ArrowRight');
  await expect(second).toBeFocused();
  await second.press('Alt+ArrowRight');
  await expect(second).toBeFocused();
  await second.press('End');
  await expect(last).toBeFocused();
  await last.press('Home');
  await expect(first).toBeFocused();
});

test('API docs: a chosen language stays chosen on other pages and in later visits', async ({ page }) => {
  await page.goto('/docs/get-the-payout');
  await expect(page.getByText('urllib.request.Request(')).toBeHidden();
  await page.getByRole('tab', { name: 'curl' }).press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'JavaScript' })).toBeFocused();
  await page.getByRole('tab', { name: 'Python' }).click();
  await expect(page.getByText('urllib.request.Request(')).toBeVisible();
  await page.goto('/docs/quickstarts');
  await expect(page.getByRole('tab', { name: 'Python' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByText('def call(method, path, body=None):')).toBeVisible();
});

test('API docs: the changelog has a feed with a date for each version', async ({ api, baseURL, page }) => {
  await page.goto('/docs/changelog');
  const link = page.locator('link[rel=alternate][type="application/atom+xml"]');
  await expect(link).toHaveAttribute('href', `${baseURL}/docs/changelog.atom`);
  const feed = await api('GET', '/docs/changelog.atom');
  expect(feed.headers['content-type']).toBe('application/atom+xml; charset=utf-8');
  const entries = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, 'text/xml');
    return [...parsed.querySelectorAll('entry')].map((entry) => [
      entry.querySelector('updated')?.textContent ?? '',
      entry.querySelector('link')?.getAttribute('href') ?? '',
      entry.querySelector('content[type=html]')?.textContent ?? '',
    ]);
  }, feed.text);
  expect(entries.length).toBeGreaterThan(0);
  for (const [updated = '', url = '', html = ''] of entries) {
    expect(html).toMatch(/^<ul>\s*<li>/);
    for (const [, href = ''] of html.matchAll(/ href="([^"]*)"/g)) expect(href).toMatch(/^https?:/);
    expect(new Date(updated).getTime()).toBeGreaterThan(0);
    await expect(page.locator(`[id="${new URL(url).hash.slice(1)}"]`)).toBeVisible();
  }
});

test('API console: is filled in for a signed-in customer, and copies the request as curl', async ({
  page,
  customer,
}) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = async (text) => void Object.assign(window, { copied: text });
  });
  await signIn(page, customer, '/docs/add-a-card#console');
  const form = page.getByRole('form', { name: 'Console: addCard' });
  await expect(form.getByLabel('API key')).toHaveValue(customer.apiKey);
  await form.getByRole('button', { name: 'Send POST' }).click();
  await expect(form.getByText(/HTTP 200 in \d+ ms/)).toBeVisible();
  await form.getByRole('button', { name: 'Copy as curl' }).click();
  const copied = await page.evaluate(() => (window as { copied?: string }).copied);
  expect(copied).toContain(`-H 'X-AUTH-APIKEY: ${customer.apiKey}'`);
  expect(copied).toContain('-H "X-AUTH-APISECRET: $API_SECRET"');
  expect(copied).toContain('"token": "tok_visa"');
  expect(copied).toContain('-H "Idempotency-Key: $(od ');
  const command = { language: 'sh', code: copied?.replace('curl ', 'curl -s ') ?? '' };
  const printed = await runSample(command, tmpdir(), { API_SECRET: customer.apiSecret });
  expect(JSON.parse(printed)).toMatchObject({ status: true, card: { last4: '4242' } });
});

test('API console: does not use the session with the key of another account', async ({
  page,
  customer,
  db,
}) => {
  const other = await newCustomer(db);
  await signIn(page, customer, '/docs/get-the-customer#console');
  const form = page.getByRole('form', { name: 'Console: getCustomer' });
  await form.getByLabel('API key').fill(other.apiKey);
  const secret = form.getByLabel('API secret');
  await expect(secret).toHaveAttribute('required');
  await form.getByRole('button', { name: 'Send GET' }).click();
  await expect(secret).toBeFocused();
  await expect(form.getByText('HTTP')).toHaveCount(0);
  await secret.fill(other.apiSecret);
  await form.getByRole('button', { name: 'Send GET' }).click();
  await expect(form.getByText(`"username": "${other.username}"`)).toBeVisible();
});

test.describe('with a session of another account', () => {
  test.use({ expectedFaults: [/status of 401/] });

  test('API console: does not act on the account that was signed in to in another tab', async ({
    page,
    clientOf,
    customer,
    db,
  }) => {
    const other = await newCustomer(db);
    await signIn(page, customer, '/docs/add-a-card#console');
    const form = page.getByRole('form', { name: 'Console: addCard' });
    await expect(form.getByLabel('API key')).toHaveValue(customer.apiKey);
    await page.context().clearCookies();
    await signIn(await page.context().newPage(), other);
    await form.getByRole('button', { name: 'Send POST' }).click();
    await expect(form.getByText(/HTTP 401 in \d+ ms/)).toBeVisible();
    expect((await clientOf(other).getCustomer()).cards).toEqual([]);
    await form.getByRole('button', { name: 'Reload page' }).click();
    await expect(form.getByLabel('API key')).toHaveValue(other.apiKey);
    await form.getByRole('button', { name: 'Send POST' }).click();
    await expect(form.getByText(/HTTP 200 in \d+ ms/)).toBeVisible();
    expect((await clientOf(other).getCustomer()).cards).toHaveLength(1);
  });
});

test('API console: shows the curl command if the browser blocks copying', async ({ page }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('Not allowed.'));
  });
  await page.goto('/docs/get-the-payout#console');
  const form = page.getByRole('form', { name: 'Console: getPayout' });
  await form.getByLabel('API key').fill('key_test_typed');
  await form.getByRole('button', { name: 'Copy as curl' }).click();
  await expect(form.getByText('Select the text and copy it.')).toBeVisible();
  await expect(form.getByText("-H 'X-AUTH-APIKEY: key_test_typed'")).toBeVisible();
});

test.describe('with an unknown live key', () => {
  test.use({ expectedFaults: [/status of 403/] });

  test('API console: asks before it changes a live account', async ({ page }) => {
    await page.goto('/docs/remove-a-card#console');
    const form = page.getByRole('form', { name: 'Console: removeCard' });
    await form.getByLabel('API key').fill('key_live_unknown');
    await form.getByLabel('API secret').fill('none');
    await form.getByLabel('uuid').fill('1');
    await form.getByRole('button', { name: 'Send DELETE' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(form.getByText('HTTP')).toHaveCount(0);
    await form.getByRole('button', { name: 'Send DELETE' }).click();
    await dialog.getByRole('button', { name: 'Send DELETE' }).click();
    await expect(form.getByText(/HTTP 403/)).toBeVisible();
  });
});
