import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSettings } from '#src/settings.ts';
import { listen } from '#tools/testing/listen.ts';
import { testSessionSecret } from '#tools/testing/settings.ts';
import { getCustomer } from './operations/get-customer.ts';
import { handleApiRequest } from './router.ts';
import { createServices, provideServices, services } from './services.ts';

/** Accepts connections and closes them, as a proxy does while its database is down. */
let hangingUp: Server;
let isRefusing = false;
let environment: Record<string, string> = {};

beforeAll(async () => {
  hangingUp = createServer((socket) => socket.destroy());
  environment = {
    DATABASE_URL: `postgres://nobody:secret-of-the-database@127.0.0.1:${await listen(hangingUp)}/none`,
    SESSION_SECRET: testSessionSecret,
    PAYMENTS: 'sandbox',
    LOG_LEVEL: 'silent',
    STRIPE_SECRET_KEY: 'sk_test_unavailable',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_unavailable',
  };
  provideServices(createServices(readSettings(environment)));
});
afterAll(async () => {
  await services().close();
  if (!isRefusing) hangingUp.close();
});

async function expectUnavailable(): Promise<void> {
  const headers = { 'X-AUTH-APIKEY': 'key', 'X-AUTH-APISECRET': 'secret' };
  for (const request of [
    handleApiRequest(new Request(`http://127.0.0.1${getCustomer.path}`, { headers })),
    handleApiRequest(new Request('http://127.0.0.1/api/health/ready')),
  ]) {
    const response = await request;
    const text = await response.text();
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 503, type: 'unavailable' } });
    expect(text.replace(services().settings.publicUrl, '')).not.toMatch(
      /secret-of|127\.0\.0\.1|ECONN|postgres/,
    );
  }
}

test('returns 503 with Retry-After when the database is down or closes connections; /api/health/live stays 200', async () => {
  await expectUnavailable();
  await services().close();
  provideServices(createServices(readSettings(environment)));
  await new Promise((resolve) => hangingUp.close(resolve));
  isRefusing = true;
  await expectUnavailable();
  expect((await handleApiRequest(new Request('http://127.0.0.1/api/health/live'))).status).toBe(200);
});
