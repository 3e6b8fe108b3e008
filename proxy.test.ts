import { unstable_doesMiddlewareMatch } from 'next/experimental/testing/server.js';
import { NextRequest } from 'next/server';
import { expect, it } from 'vitest';
import { config, proxy } from './proxy.ts';
import { countRequest } from './src/api/rate-limits.ts';
import { createServices, provideServices } from './src/api/services.ts';
import { sealedCookie } from './src/api/session-cookie.ts';
import { publicFiles } from './src/server/file-paths.ts';
import { readSettings } from './src/settings.ts';
import { settingsWithoutDatabase } from './tools/testing/settings.ts';

async function responseOf(environment: Record<string, string>, path = '/payout', host = 'shop.example:3000') {
  provideServices(createServices(readSettings({ ...settingsWithoutDatabase, ...environment })));
  return proxy(new NextRequest(`http://shop.example:3000${path}`, { headers: { host } }));
}

const headersOf = async (...request: Parameters<typeof responseOf>) => (await responseOf(...request)).headers;

function sources(headers: Headers, directive: string): string[] {
  const policy = headers.get('content-security-policy') ?? '';
  const found = policy.split('; ').find((part) => part.startsWith(`${directive} `));
  return found?.split(' ').slice(1) ?? [];
}

it('allows Stripe and nothing of the sandbox on a page with a card form', async () => {
  const headers = await headersOf({}, '/cards');
  expect(sources(await headersOf({}, '/'), 'frame-src')).toEqual(["'none'"]);
  expect(sources(headers, 'script-src').slice(1)).toEqual([
    "'strict-dynamic'",
    'https://js.stripe.com',
    'https://*.js.stripe.com',
  ]);
  expect(sources(headers, 'frame-src')).toEqual([
    'https://js.stripe.com',
    'https://*.js.stripe.com',
    'https://hooks.stripe.com',
  ]);
  expect(sources(headers, 'connect-src')).toEqual(["'self'", 'https://api.stripe.com']);
  expect(sources(headers, 'img-src')).toEqual(["'self'", 'data:']);
  expect(headers.get('permissions-policy')).toContain('payment=(self "https://js.stripe.com")');
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups');
});

it.each(['/payout', '/profile', '/sign-in', '/docs', '/cards/none', '/Cards'])(
  'allows no provider on %s',
  async (path) => {
    for (const payments of [{}, { PAYMENTS: 'sandbox', SANDBOX_PORT: '3999' }]) {
      const { 'permissions-policy': permissions, ...headers } = Object.fromEntries(
        await headersOf(payments, path),
      );
      expect(headers['content-security-policy']).not.toMatch(/stripe|3999/);
      expect(permissions).toContain('payment=()');
    }
  },
);

it('has violations reported, by the newer way with https', async () => {
  const plain = await headersOf({});
  expect([sources(plain, 'report-uri'), sources(plain, 'report-to')]).toEqual([['/api/csp-reports'], []]);
  const secure = await headersOf({ PUBLIC_URL: 'https://shop.example' });
  expect([sources(secure, 'report-uri'), sources(secure, 'report-to')]).toEqual([
    ['/api/csp-reports'],
    ['csp'],
  ]);
  expect(secure.get('reporting-endpoints')).toBe('csp="/api/csp-reports"');
});

it('allows the sandbox at the requested host, and nothing of Stripe', async () => {
  const headers = await headersOf({ PAYMENTS: 'sandbox', SANDBOX_PORT: '3999' }, '/cards');
  expect(sources(headers, 'frame-src')).toEqual(['http://shop.example:3999']);
  expect(headers.get('content-security-policy')).not.toContain('stripe.com');
  expect(headers.get('permissions-policy')).toContain('payment=(self "http://shop.example:3999")');
});

it.each(["evil.example; script-src 'unsafe-inline'", 'a b', '', 'x/../y'])(
  'takes no Host for a source: %s',
  async (host) => {
    const headers = await headersOf({ PAYMENTS: 'sandbox', SANDBOX_PORT: '3999' }, '/cards', host);
    expect(sources(headers, 'frame-src')).toEqual(['http://localhost:3999']);
  },
);

it('allows map tile hosts only when MAP_TILE_URL is set', async () => {
  const headers = await headersOf({ MAP_TILE_URL: 'https://{s}.tiles.example/{z}/{x}/{y}.png' });
  expect(sources(headers, 'img-src')).toEqual(["'self'", 'data:', 'https://*.tiles.example']);
});

it('sends the security headers of a page, and HSTS only for an https public URL', async () => {
  const expected = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), usb=(), payment=(), geolocation=(self)',
  };
  const plain = Object.fromEntries(await headersOf({}));
  expect(plain).toMatchObject(expected);
  expect(plain).not.toHaveProperty('strict-transport-security');
  expect(Object.fromEntries(await headersOf({ PUBLIC_URL: 'https://shop.example' }))).toMatchObject({
    ...expected,
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  });
});

it('has a content security policy that allows nothing by default', async () => {
  const policy = (await headersOf({})).get('content-security-policy') ?? '';
  expect(policy.replaceAll(/'nonce-[^']+'/g, "'nonce'").split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'nonce' 'strict-dynamic'",
    "style-src 'self' 'nonce'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-src 'none'",
    "manifest-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
    'report-uri /api/csp-reports',
  ]);
});

it('passes the policy and the path on to the page, and keeps a valid X-Request-Id', async () => {
  provideServices(createServices(readSettings(settingsWithoutDatabase)));
  const sent = { headers: { 'x-request-id': 'order-2026-11-20.7' } };
  const { headers } = await proxy(new NextRequest('http://shop.example:3000/payout?type=credit', sent));
  expect(headers.get('x-request-id')).toBe('order-2026-11-20.7');
  expect(headers.get('x-middleware-request-x-page-path')).toBe('/payout?type=credit');
  expect(headers.get('x-middleware-request-content-security-policy')).toBe(
    headers.get('content-security-policy'),
  );
});

it('returns 429 for a page of the dashboard once the quota is used up, also for its form, and not for other pages', async () => {
  const services = createServices(
    readSettings({ ...settingsWithoutDatabase, LIMIT_REQUESTS_PER_MINUTE: '2' }),
  );
  provideServices(services);
  const { name, value } = await sealedCookie(services.settings, 7, 'session');
  const open = (path: string, method = 'GET', cookie = `${name}=${value}`) =>
    proxy(new NextRequest(`http://shop.example:3000${path}`, { method, headers: { cookie } }));
  for (const [count, status] of [200, 200, 429].entries()) {
    expect([count, (await open('/')).status]).toEqual([count, status]);
    await countRequest(services.rateLimits, 7);
  }
  const refused = await open('/payout');
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(await refused.text()).toContain(`Reload this page in ${seconds} second`);
  expect(Object.fromEntries(refused.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
  });
  const statuses = [
    open('/', 'HEAD'),
    open('/payout/2026-11'),
    open('/api-access', 'POST'),
    open('/sign-in'),
    open('/', 'GET', ''),
  ];
  expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([429, 429, 429, 200, 200]);
});

it.each([
  ['/payout/', '/payout'],
  ['/payout/2026-11//?q=a%2Fb', '/payout/2026-11?q=a%2Fb'],
  ['/openapi.json/', '/openapi.json'],
  ['//evil.example/', '/evil.example'],
])('has one URL for each page: 308 from %s', async (path, canonical) => {
  const response = await responseOf({}, path);
  expect([response.status, response.headers.get('location')]).toEqual([
    308,
    `http://shop.example:3000${canonical}`,
  ]);
  expect(response.headers.get('x-frame-options')).toBe('DENY');
});

it('leaves the quota of a form that scripts send to the form', async () => {
  const services = createServices(
    readSettings({ ...settingsWithoutDatabase, LIMIT_REQUESTS_PER_MINUTE: '1' }),
  );
  provideServices(services);
  const { name, value } = await sealedCookie(services.settings, 8, 'session');
  for (let n = 0; n < 2; n += 1) await countRequest(services.rateLimits, 8);
  const statusOf = async (method: string) => {
    const headers = { cookie: `${name}=${value}`, 'next-action': 'x' };
    return (await proxy(new NextRequest('http://shop.example:3000/api-access', { method, headers }))).status;
  };
  expect([await statusOf('POST'), await statusOf('GET')]).toEqual([200, 429]);
});

it('accepts a form of a browser that hides its origin, without the header', async () => {
  provideServices(createServices(readSettings(settingsWithoutDatabase)));
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' };
  const request = new NextRequest('http://shop.example:3000/sign-in', { method: 'POST', headers });
  const response = await proxy(request);
  const passed = response.headers.get('x-middleware-override-headers')?.split(',');
  expect([response.status, passed?.includes('sec-fetch-site'), passed?.includes('origin')]).toEqual([
    200,
    true,
    false,
  ]);
});

it('creates a nonce per response and allows no inline or eval script', async () => {
  const [first, second] = [await headersOf({}), await headersOf({})];
  expect(sources(first, 'script-src')[0]).not.toBe(sources(second, 'script-src')[0]);
  expect(sources(first, 'script-src')[0]).toMatch(/^'nonce-[\w+/]{22}=='$/);
  expect(first.get('content-security-policy')).not.toMatch(/unsafe/);
});

const isPage = (pathname: string) =>
  unstable_doesMiddlewareMatch({ config, url: `http://shop.example:3000${pathname}` });

it.each([
  '/',
  '/api-access',
  '/schedules',
  '/icons',
  '/icons/none.png',
  '/_next/image',
  '/payout/transactions.csv',
])('gives %s its headers, as a page', (pathname) => expect(isPage(pathname)).toBe(true));

it.each([
  ...['/api', '/schedule', '/API', '/SCHEDULE'].flatMap((prefix) => [
    prefix,
    `${prefix}/`,
    `${prefix}/x`,
    `${prefix}/v1/x.json`,
  ]),
  '/schedule/v2/x/',
])('leaves %s to the API', (pathname) => expect(isPage(pathname)).toBe(false));

it('does not handle static files', () => {
  expect(publicFiles).toContain('/icon.svg');
  expect([...publicFiles, '/_next/static/chunks/a.js'].filter(isPage)).toEqual([]);
});
