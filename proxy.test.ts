import { unstable_doesMiddlewareMatch } from 'next/experimental/testing/server.js';
import { NextRequest } from 'next/server';
import { expect, it } from 'vitest';
import { config, proxy } from './proxy.ts';
import { createServices, provideServices } from './src/api/services.ts';
import { publicFiles } from './src/server/limit-concurrency.ts';
import { readSettings } from './src/settings.ts';

const required = {
  DATABASE_URL: 'postgres://127.0.0.1/none',
  STRIPE_SECRET_KEY: 'sk_test_x',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_x',
  SESSION_SECRET: 'a secret of the tests that is long enough',
  LOG_LEVEL: 'silent',
};

async function headersOf(environment: Record<string, string>, host = 'shop.example:3000'): Promise<Headers> {
  provideServices(createServices(readSettings({ ...required, ...environment })));
  return (await proxy(new NextRequest('http://shop.example:3000/', { headers: { host } }))).headers;
}

function sources(headers: Headers, directive: string): string[] {
  const policy = headers.get('content-security-policy') ?? '';
  const found = policy.split('; ').find((part) => part.startsWith(`${directive} `));
  return found?.split(' ').slice(1) ?? [];
}

it('allows Stripe and nothing of the sandbox in the content security policy', async () => {
  const headers = await headersOf({ STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_PUBLISHABLE_KEY: 'pk_test_x' });
  expect(sources(headers, 'frame-src')).toEqual([
    'https://js.stripe.com',
    'https://*.js.stripe.com',
    'https://hooks.stripe.com',
  ]);
  expect(sources(headers, 'connect-src')).toEqual(["'self'", 'https://api.stripe.com']);
  expect(sources(headers, 'img-src')).toEqual(["'self'", 'data:']);
});

it('allows the sandbox at the requested host, and nothing of Stripe', async () => {
  const headers = await headersOf({ PAYMENTS: 'sandbox', SANDBOX_PORT: '3999' });
  expect(sources(headers, 'frame-src')).toEqual(['http://shop.example:3999']);
  expect(headers.get('content-security-policy')).not.toContain('stripe.com');
});

it.each(["evil.example; script-src 'unsafe-inline'", 'a b', '', 'x/../y'])(
  'takes no Host for a source: %s',
  async (host) => {
    await headersOf({ PAYMENTS: 'sandbox', SANDBOX_PORT: '3999' });
    const { contentSecurityPolicy } = await import('./proxy.ts');
    expect(contentSecurityPolicy('n', host)).toContain('frame-src http://localhost:3999;');
  },
);

it('allows map tile hosts only when MAP_TILE_URL is set', async () => {
  const headers = await headersOf({ MAP_TILE_URL: 'https://{s}.tiles.example/{z}/{x}/{y}.png' });
  expect(sources(headers, 'img-src')).toEqual(["'self'", 'data:', 'https://*.tiles.example']);
});

it('sends HSTS only for an https public URL', async () => {
  const plain = await headersOf({});
  expect(plain.get('strict-transport-security')).toBeNull();
  const secure = await headersOf({ PUBLIC_URL: 'https://shop.example' });
  expect(secure.get('strict-transport-security')).toMatch(/^max-age=\d{7,}/);
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
