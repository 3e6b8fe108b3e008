import type { BrowserContext } from '@playwright/test';
import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { customers, secrets } from '#db/schema.ts';
import { signIn, signInByForm, signInByRequest, signOut } from '../dashboard/steps.ts';
import { expect, test } from '../support/fixtures.ts';

const detail = '/api/schedule/v1/customers/detail';
const cards = '/api/schedule/v1/payment/cards';

// The browser reports each refused fetch in its console.
test.use({ expectedFaults: [/status of 40\d/] });

async function sessionOf(context: BrowserContext): Promise<string> {
  const [cookie] = await context.cookies();
  return `${cookie?.name}=${cookie?.value}`;
}

test('session: authenticates same-origin requests only, by a cookie with HttpOnly and SameSite', async ({
  page,
  context,
  customer,
  api,
}) => {
  await signInByForm(page, customer);
  const cookie = await sessionOf(context);
  const [sessionCookie] = await context.cookies();
  expect(sessionCookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
  expect(decodeURIComponent(sessionCookie?.value ?? '')).not.toContain(customer.apiSecret);

  const own = await page.evaluate(async (path) => {
    const response = await fetch(path);
    return [response.status, response.headers.get('cache-control'), response.headers.get('etag')];
  }, detail);
  expect(own).toEqual([200, 'no-store', null]);

  const body = { token: 'tok_visa', card: {} };
  const origin = new URL(page.url()).origin;
  const from = (headers: Record<string, string>) => ({ Cookie: cookie, ...headers });
  const post = (headers: Record<string, string>) => api('POST', cards, { body, headers: from(headers) });
  // POST requires proof of the same origin.
  for (const foreign of [
    {},
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://evil.example' },
  ]) {
    expect((await post(foreign)).status).toBe(403);
  }
  expect((await post({ Origin: origin })).status).toBe(200);
  // GET is refused only with proof of another origin.
  expect((await api('GET', detail, { headers: from({}) })).status).toBe(200);
  expect((await api('GET', detail, { headers: from({ 'Sec-Fetch-Site': 'cross-site' }) })).status).toBe(403);
  // If either header is present, the session is ignored.
  expect((await api('GET', detail, { headers: from({ 'X-AUTH-APIKEY': customer.apiKey }) })).status).toBe(
    401,
  );
});

const endings: [string, (db: Database, customerId: number) => Promise<unknown>][] = [
  [
    'the secret is revoked',
    (db, id) => db.update(secrets).set({ revokedAt: new Date() }).where(eq(secrets.customerId, id)),
  ],
  [
    'the customer is deactivated',
    (db, id) => db.update(customers).set({ status: 'Suspended' }).where(eq(customers.id, id)),
  ],
];

for (const [what, end] of endings) {
  test(`session: ends with the next request when ${what}`, async ({ page, context, customer, db, api }) => {
    await signInByRequest(context.request, customer);
    const cookie = await sessionOf(context);
    expect((await api('GET', detail, { headers: { Cookie: cookie } })).status).toBe(200);
    await end(db, customer.id);
    expect((await api('GET', detail, { headers: { Cookie: cookie } })).status).toBe(401);
    await page.goto('/');
    await expect(page).toHaveURL(/\/sign-in/);
  });
}

test('session: signing out ends it on the server; the old cookie returns 401', async ({
  page,
  context,
  customer,
  api,
}) => {
  await signIn(page, customer, '/profile');
  const before = await context.cookies();
  const cookie = await sessionOf(context);
  await signOut(page);
  await expect(page).toHaveURL(/\/sign-in/);
  expect((await api('GET', detail, { headers: { Cookie: cookie } })).status).toBe(401);
  await context.addCookies(before);
  await page.goto('/');
  await expect(page).toHaveURL('/sign-in');
});

test('session: returns 401 for a forged or broken cookie', async ({ api }) => {
  for (const value of ['x', 'Fe26.2*1*forged', '%00', '%', 'a'.repeat(5000)]) {
    expect((await api('GET', detail, { headers: { Cookie: `session=${value}` } })).status).toBe(401);
  }
});
