import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import postgres from 'postgres';
import { openPool } from '#db/client.ts';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import { startProgram } from '#tools/testing/processes.ts';
import { submitCredentials } from '../dashboard/steps.ts';
import { expect, newCustomer, type TestCustomer, test } from '../support/fixtures.ts';
import { type OwnService, startOwnService } from '../support/own-service.ts';

const providerScript = 'https://js.stripe.com/endive/stripe.js';

// The test aborts requests for the provider's script, which the browser reports in its console.
test.use({ expectedFaults: [/Failed to load resource/] });

test('own Stripe keys: nothing of the sandbox is loaded or reachable, and `next start` refuses it', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const embedded = await openEmbeddedDatabase(process.env.E2E_DATA_DIR ?? '');
  const owner = postgres(embedded.ownerUrl, { max: 1, onnotice: () => {} });
  const name = `own_keys_${randomBytes(5).toString('hex')}`;
  await owner.unsafe(`CREATE DATABASE ${name}`);
  const inDatabase = (url: string) => url.replace(/\/\w+$/, `/${name}`);
  await migrate(inDatabase(embedded.ownerUrl));
  const service = await startOwnService({
    DATABASE_URL: inDatabase(embedded.webUrl),
    SESSION_SECRET: randomBytes(24).toString('hex'),
    STRIPE_SECRET_KEY: 'sk_test_ofOnesOwn',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_ofOnesOwn',
  });
  try {
    const { url, sandboxPort } = service;
    await expect(fetch(`http://127.0.0.1:${sandboxPort}/`)).rejects.toThrow();
    await expectNoSandbox(await fetch(`${url}/sign-in`), service);
    expect(service.output()).not.toMatch(/sandbox/i);
    expect((await fetch(`${url}/_sandbox/requests`)).status).toBe(404);
    expect((await fetch(`${url}/api/webhooks/stripe`, { method: 'POST', body: '{}' })).status).toBe(400);
    // A request with a body changes nothing for the pages after it.
    expect((await fetch(`${url}/sign-in`)).status).toBe(200);

    const { db, close } = openPool(inDatabase(embedded.operatorUrl), { connectionsMax: 1 });
    await cardFormAsksProvider(page, service, await newCustomer(db).finally(close));

    const plainNext = startProgram(['node_modules/next/dist/bin/next', 'start', '--port', '0'], {
      ...process.env,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      DATABASE_URL: inDatabase(embedded.webUrl),
      SESSION_SECRET: randomBytes(24).toString('hex'),
      PAYMENTS: 'sandbox',
      STRIPE_SECRET_KEY: 'sk_test_sandbox',
      STRIPE_PUBLISHABLE_KEY: 'pk_test_sandbox',
    });
    expect([await plainNext.exited, plainNext.output()]).toEqual([
      1,
      expect.stringContaining('This database is for Stripe test keys'),
    ]);
  } finally {
    await service.stop();
    await owner.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    await owner.end();
    await embedded.release();
  }
});

async function expectNoSandbox(page: Response, { sandboxPort }: OwnService): Promise<void> {
  for (const text of [page.headers.get('content-security-policy') ?? '', await page.text()]) {
    expect(text).not.toContain(`${sandboxPort}`);
    expect(text).not.toMatch(/sandbox/i);
  }
}

/** Expects that the headers of a page with a card form name Stripe, and that the page does not name the sandbox. */
async function expectOnlyProvider(page: Response, service: OwnService): Promise<void> {
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("'strict-dynamic' https://js.stripe.com https://*.js.stripe.com;");
  expect(policy).toContain(
    'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com;',
  );
  expect(policy).toContain("connect-src 'self' https://api.stripe.com;");
  await expectNoSandbox(page, service);
}

/** Expects an error when the provider's script is blocked, and a retry that requests only the provider. */
async function cardFormAsksProvider(page: Page, service: OwnService, customer: TestCustomer): Promise<void> {
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  const scriptRequests = () => requested.filter((url) => url === providerScript).length;
  await page.route(/^https:\/\//, (route) => route.abort());
  await page.goto(`${service.url}/sign-in?next=%2Fcards`);
  await submitCredentials(page, customer);
  await page.waitForURL('**/cards');
  const cookies = await page.context().cookies();
  const Cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  await expectOnlyProvider(await fetch(page.url(), { headers: { Cookie } }), service);

  await page.getByRole('link', { name: 'Add a card' }).click();
  const failure = page.getByRole('alert').filter({ hasText: 'The card form didn’t load.' });
  await expect(failure).toBeVisible();
  const before = scriptRequests();
  expect(before).toBeGreaterThan(0);
  await failure.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(scriptRequests).toBeGreaterThan(before);
  await expect(failure).toBeVisible();
  const others = requested.filter((url) => !url.startsWith(`${service.url}/`));
  expect([...new Set(others)]).toEqual([providerScript]);
}
