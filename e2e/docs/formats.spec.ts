/** What programs read of the docs, and the package of the client. */
import { clientPackage } from '#src/client-package.ts';
import { docsPath } from '#src/docs/page.ts';
import { docsPages } from '#src/docs/pages.ts';
import { readSettings } from '#src/settings.ts';
import { expect, test } from '../support/fixtures.ts';

const settings = readSettings({});

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
