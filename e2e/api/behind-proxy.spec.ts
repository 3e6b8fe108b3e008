import { request } from 'node:http';
import { signOut, submitCredentials } from '../dashboard/steps.ts';
import { expect, serviceTest as test } from '../support/fixtures.ts';
import { startServer } from '../support/http.ts';

// One worker: one service for all.
test.describe.configure({ mode: 'default' });

test.use({ settings: { PUBLIC_URL: 'https://shop.example', PAYMENTS: 'sandbox', TRUST_PROXY: '1' } });

/** As nginx passes requests on by default: with the name of the upstream in `Host`, and the protocol of the browser. */
function startProxy(serviceUrl: string) {
  const { hostname, port } = new URL(serviceUrl);
  return startServer((incoming, response) => {
    const { method, url: path } = incoming;
    const headers = { ...incoming.headers, host: 'app:3000', 'x-forwarded-proto': 'https' };
    incoming.pipe(
      request({ hostname, port, method, path, headers }, (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(response);
      }),
    );
  });
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(`JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('TLS proxy without Host: sign-in and sign-out work', async ({ page, customer, service }) => {
      const proxy = await startProxy(service.url);
      await page.goto(`${proxy.url}/sign-in?next=%2Fprofile`);
      await submitCredentials(page, customer);
      await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
      expect(page.url()).toBe(`${proxy.url}/profile`);
      const [cookie] = await page.context().cookies();
      expect(cookie).toMatchObject({ name: '__Host-session', secure: true, httpOnly: true, sameSite: 'Lax' });
      await signOut(page);
      expect(service.output()).not.toContain('failed to get redirect response');
      proxy.close();
    });
  });
}

const paths = ['/', '/sign-in', '/icon.svg', '//sign-in', '/no-such-page', '/openapi.json'];
const apiPaths = ['/api/health/live', '/api/v1/customers/detail', '/api/none'];
for (const path of [...paths, ...apiPaths]) {
  test(`HSTS: ${path} has it, and nosniff`, async ({ api, service }) => {
    const { headers } = await api('GET', service.url + path);
    expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });
}

test('overload: returns 200 for a few more pages of one network than render at a time, and for others beside a flood', {
  tag: '@thorough',
}, async ({ service }) => {
  const load = async (address: string) => {
    const headers = { 'X-Forwarded-For': address };
    const response = await fetch(`${service.url}/sign-in`, { headers });
    // A page counts until all of it was sent.
    await response.text();
    return response.status;
  };
  const loadAll = (count: number, address: string) =>
    Promise.all(Array.from({ length: count }, () => load(address)));
  expect(await load('192.0.2.1')).toBe(200);
  // On a busy machine, the first ones can take longer than the others wait.
  await expect.poll(() => loadAll(20, '192.0.2.1'), { timeout: 90_000 }).toEqual(Array(20).fill(200));
  const flood = loadAll(1_500, '192.0.2.1');
  expect(await loadAll(8, '192.0.2.2')).toEqual(Array(8).fill(200));
  const statuses = await flood;
  expect([...new Set(statuses)].sort()).toEqual([200, 503]);
  expect(await load('192.0.2.1')).toBe(200);
});

test('Host: PUBLIC_URL’s name is served, and others are not', async ({ api }) => {
  const statusOf = async (Host: string) => (await api('GET', '/sign-in', { headers: { Host } })).status;
  expect(await statusOf('shop.example')).toBe(200);
  expect(await statusOf('SHOP.example:443')).toBe(200);
  expect(await statusOf('evil.example')).toBe(421);
  expect(await statusOf('shop.example.evil.example')).toBe(421);
});
