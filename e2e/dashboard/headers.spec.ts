import { dashboardPages } from '#components/layout/nav-items.ts';
import { expect, test } from '../support/fixtures.ts';
import { signInByRequest } from './steps.ts';

const open = ['/sign-in', '/no-such-page', '/cards/no-such-page', '/icons/none'];

for (const path of open) {
  test(`${path}: has a strict content security policy with a unique nonce`, async ({ request }) => {
    const [first, second] = [await request.get(path), await request.get(path)];
    const policy = first.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'nonce-[\w+/=]{22,}' 'strict-dynamic'/);
    expect(policy).not.toMatch(/unsafe-(inline|eval)/);
    for (const directive of [
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "object-src 'none'",
    ]) {
      expect(policy).toContain(directive);
    }
    expect(second.headers()['content-security-policy']).not.toBe(policy);
    expect(first.headers()).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'strict-origin-when-cross-origin',
    });
    const ids = [first, second].map((response) => response.headers()['x-request-id']);
    expect(ids).toEqual([expect.stringMatching(/^[\w-]{36}$/), expect.stringMatching(/^[\w-]{36}$/)]);
    expect(ids[0]).not.toBe(ids[1]);
    expect(first.headers()['x-powered-by']).toBeUndefined();
  });

  test(`${path}: has no script without a nonce and no inline style`, async ({ request }) => {
    const response = await request.get(path);
    const nonce = /'nonce-([^']+)'/.exec(response.headers()['content-security-policy'] ?? '')?.[1];
    const markup = await response.text();
    for (const [tag] of markup.matchAll(/<script\b[^>]*>/g)) expect(tag).toContain(`nonce="${nonce}"`);
    expect(markup).not.toMatch(/<style\b(?![^>]*nonce=)/);
    expect(markup).not.toMatch(/<[a-z][^>]*\sstyle="/i);
  });
}

test('unknown page: returns 404', async ({ page, request }) => {
  expect((await request.get('/no-such-page')).status()).toBe(404);
  await page.goto('/sign-in');
  await page.evaluate(() => history.replaceState(null, '', '/no-such-page'));
  expect(await page.title()).not.toBe('');
});

test('signed-in pages: no inline styles, no-store, noindex, and a banner of the mode', async ({
  request,
  customer,
}) => {
  await signInByRequest(request, customer);
  for (const { path } of dashboardPages) {
    const response = await request.get(path);
    expect(response.status()).toBe(200);
    const markup = await response.text();
    expect(markup.match(/<[a-z][^>]*\sstyle="[^"]*"/gi) ?? [], path).toEqual([]);
    expect(markup).toContain('<meta name="robots" content="noindex, nofollow"/>');
    expect(response.headers()['cache-control']).toContain('no-store');
    expect(markup, path).toMatch(
      /role="note"[^>]*><strong[^>]*>Test mode\.<\/strong> No cards are charged\./,
    );
  }
  const file = await request.get('/payout/transactions.csv', {
    headers: { 'X-Request-Id': 'order-7.1' },
  });
  expect([file.status(), file.headers()['x-request-id']]).toEqual([200, 'order-7.1']);
});

test('signed-in pages: text of a URL ends no script and no element', async ({ page, customer }) => {
  await signInByRequest(page.request, customer);
  const text = '</script>\u2028</title><b id="injected">';
  const response = await page.goto(`/payout?search=${encodeURIComponent(text)}`);
  expect(await response?.text()).not.toContain('<b id="injected"');
  await expect(page.getByRole('searchbox')).toHaveValue(text);
  await expect(page.locator('#injected')).toHaveCount(0);
});

for (const path of [
  ...['/openapi.json', '/openapi.yaml', '/openapi-3.0.json', '/postman.json', '/llms.txt'],
  ...['/docs/errors.md', '/docs/search.json', '/docs/changelog.atom'],
]) {
  test(`${path}: is cached for 5 minutes, by browsers only`, async ({ request }) => {
    const response = await request.get(path);
    expect([response.status(), response.headers()['cache-control']]).toEqual([200, 'private, max-age=300']);
  });
}

test('security.txt: has a contact, and expires within a year', async ({ request, baseURL }) => {
  const response = await request.get('/.well-known/security.txt');
  expect([response.status(), response.headers()['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  const [contact, expires = '', ...rest] = (await response.text()).trim().split('\n');
  expect([contact, ...rest]).toEqual([
    'Contact: mailto:support@example.com',
    'Preferred-Languages: en',
    `Canonical: ${baseURL}/.well-known/security.txt`,
  ]);
  const days = (Date.parse(expires.replace('Expires: ', '')) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(90);
  expect(days).toBeLessThan(365);
});
