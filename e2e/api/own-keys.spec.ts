import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { openEmbeddedDatabase } from '#db/embedded.ts';
import { expect, test } from '../fixtures.ts';
import { startOwnService } from '../own-service.ts';

test('with keys of one’s own nothing of the sandbox is loaded or reachable', async ({
  browserName: _browserName,
}) => {
  test.setTimeout(90_000);
  const embedded = await openEmbeddedDatabase(process.env.E2E_DATA_DIR ?? '');
  const owner = postgres(embedded.ownerUrl, { max: 1, onnotice: () => {} });
  const name = `own_keys_${randomBytes(5).toString('hex')}`;
  await owner.unsafe(`CREATE DATABASE ${name}`);
  const inDatabase = (url: string) => url.replace(/\/\w+$/, `/${name}`);
  const folder = await mkdtemp(path.join(tmpdir(), 'own-keys-'));
  const service = await startOwnService({
    DATA_DIR: folder,
    DATABASE_URL: inDatabase(embedded.appUrl),
    DATABASE_OWNER_URL: inDatabase(embedded.ownerUrl),
    SESSION_SECRET: randomBytes(24).toString('hex'),
    STRIPE_SECRET_KEY: 'sk_test_ofOnesOwn',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_ofOnesOwn',
    LOG_FILE: path.join(folder, 'service.log'),
  });
  try {
    const { url, sandboxPort } = service;
    await expect(fetch(`http://127.0.0.1:${sandboxPort}/`)).rejects.toThrow();
    const page = await fetch(`${url}/sign-in`);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain(
      'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com;',
    );
    expect(policy).toContain("connect-src 'self' https://api.stripe.com;");
    for (const text of [policy, await page.text(), service.output()]) {
      expect(text).not.toContain(`${sandboxPort}`);
      expect(text).not.toMatch(/sandbox|stand-in/i);
    }
    expect((await fetch(`${url}/_sandbox/requests`)).status).toBe(404);
    expect((await fetch(`${url}/api/webhooks/stripe`, { method: 'POST', body: '{}' })).status).toBe(400);
  } finally {
    await service.stop();
    await owner.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    await owner.end();
    await embedded.release();
    await rm(folder, { recursive: true, force: true });
  }
});
