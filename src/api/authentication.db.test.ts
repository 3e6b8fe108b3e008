import { eq } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { customers, secrets } from '#db/schema.ts';
import { createLastUses } from '#src/api/last-uses.ts';
import { addCard } from '#src/api/operations/add-card.ts';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { getPayout } from '#src/api/operations/get-payout.ts';
import { operations } from '#src/api/operations/index.ts';
import { services } from '#src/api/services.ts';
import { newToken, tokenHash } from '#src/tokens.ts';
import { call, testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { errorBody, normalizeError } from '#tools/testing/normalize.ts';

const service = await testService();

for (const operation of operations) {
  const name = operation.id;
  test(`${name}: returns 401 when a credential header is missing or empty`, async () => {
    const { apiKey, apiSecret } = await newCustomer(service.db);
    const incomplete: Record<string, string>[] = [
      {},
      { 'X-AUTH-APIKEY': apiKey },
      { 'X-AUTH-APISECRET': apiSecret },
      { 'X-AUTH-APIKEY': '', 'X-AUTH-APISECRET': apiSecret },
      { 'X-AUTH-APIKEY': apiKey, 'X-AUTH-APISECRET': '' },
    ];
    for (const headers of incomplete) {
      const response = await call(operation, null, { headers });
      expect(response.status).toBe(401);
      expect(normalizeError(response.json)).toEqual(
        errorBody('authentication_required', 'Authentication required.'),
      );
      expect(response.headers.get('www-authenticate')).toBeTruthy();
    }
  });

  test(`${name}: returns 403 for an unknown API key`, async () => {
    const { apiSecret } = await newCustomer(service.db);
    for (const apiKey of [
      newToken('key', 'test'),
      "' OR 1=1 --",
      '<script>alert(1)</script>',
      'x'.repeat(4000),
    ]) {
      const response = await call(operation, { apiKey, apiSecret });
      expect([response.status, normalizeError(response.json)]).toEqual([
        403,
        errorBody('key_unknown', 'Username could not be found.'),
      ]);
    }
  });

  test(`${name}: returns 403 for a wrong, revoked, or expired secret or another customer's`, async () => {
    const [customer, other] = await Promise.all([newCustomer(service.db), newCustomer(service.db)]);
    const refused = async (apiSecret: string) => {
      const response = await call(operation, { apiKey: customer.apiKey, apiSecret });
      expect([response.status, normalizeError(response.json)]).toEqual([
        403,
        errorBody('secret_invalid', 'Invalid credentials.'),
      ]);
    };
    await refused(newToken('secret', 'test'));
    await refused(other.apiSecret);
    await refused(`${customer.apiSecret} `.trimEnd().slice(0, -1));
    const set = (values: Partial<typeof secrets.$inferInsert>) =>
      service.owner.update(secrets).set(values).where(eq(secrets.id, customer.secretId));
    await set({ expiresAt: new Date(Date.now() - 1000) });
    await refused(customer.apiSecret);
    await set({ expiresAt: null, revokedAt: new Date() });
    await refused(customer.apiSecret);
  });

  test(`${name}: returns 403 account_disabled only with valid credentials`, async () => {
    for (const status of ['Inactive', 'Suspended'] as const) {
      const customer = await newCustomer(service.db, { status });
      const response = await call(operation, customer);
      expect([response.status, normalizeError(response.json)]).toEqual([
        403,
        errorBody('account_disabled', 'Account is disabled.'),
      ]);
      const guess = await call(operation, { ...customer, apiSecret: newToken('secret', 'test') });
      expect(normalizeError(guess.json)).toEqual(errorBody('secret_invalid', 'Invalid credentials.'));
    }
  });
}

test('authentication: returns 403 on the next request after a secret is revoked or a customer deactivated', async () => {
  const customer = await newCustomer(service.db);
  expect((await call(getCustomer, customer)).status).toBe(200);
  await service.owner.update(customers).set({ status: 'Suspended' }).where(eq(customers.id, customer.id));
  expect((await call(getCustomer, customer)).status).toBe(403);
  await service.owner.update(customers).set({ status: 'Active' }).where(eq(customers.id, customer.id));
  expect((await call(getCustomer, customer)).status).toBe(200);
  await service.owner.update(secrets).set({ revokedAt: new Date() }).where(eq(secrets.id, customer.secretId));
  expect((await call(getCustomer, customer)).status).toBe(403);
});

test('authentication: accepts two live secrets and records when each was last used', async () => {
  const customer = await newCustomer(service.db);
  const second = newToken('secret', 'test');
  await service.owner.insert(secrets).values({ customerId: customer.id, hash: tokenHash(second) });
  const areUsed = async () => {
    const rows = await service.owner.select().from(secrets).where(eq(secrets.customerId, customer.id));
    return rows.toSorted((a, b) => a.id - b.id).map(({ lastUsedAt }) => lastUsedAt !== null);
  };
  expect((await call(getCustomer, { ...customer, apiSecret: second })).status).toBe(200);
  await expect.poll(areUsed).toEqual([false, true]);
  expect((await call(getCustomer, customer)).status).toBe(200);
  await expect.poll(areUsed).toEqual([true, true]);
});

test.each<[string, number, number]>([
  ['the first use', Number.POSITIVE_INFINITY, 1],
  ['a later use', 120, 60],
  ['a use while the clock of this host is behind', -1_800, 60],
])(
  'authentication: %s that could not be recorded is recorded with a later one',
  async (_, secondsAgo, waitSeconds) => {
    const { id, secretId } = await newCustomer(service.db);
    const warn = vi.fn();
    const { ofSecret } = createLastUses(service.web, { warn } as never);
    const update = vi.spyOn(service.web, 'update');
    const storedAt = new Date(Math.max(0, Date.now() - secondsAgo * 1_000));
    const use = (atMs: number) => {
      const clock = vi.spyOn(performance, 'now').mockReturnValue(atMs);
      ofSecret(id, secretId, storedAt);
      clock.mockRestore();
    };
    const lastUse = async () =>
      (await service.owner.select().from(secrets).where(eq(secrets.id, secretId)))[0]?.lastUsedAt;
    const usedMs = performance.now();
    await service.sql`revoke update (last_used_at) on secrets from scheduling_web`;
    try {
      use(usedMs);
      await expect.poll(() => warn.mock.calls.length).toBe(1);
    } finally {
      await service.sql`grant update (last_used_at) on secrets to scheduling_web`;
    }
    const retryMs = performance.now() + waitSeconds * 1_000;
    use(usedMs + waitSeconds * 1_000 - 1);
    expect(update).toHaveBeenCalledTimes(1);
    use(retryMs);
    await expect.poll(lastUse).not.toBeNull();
    // Known to be recorded for a minute.
    use(retryMs + 59_999);
    expect(update).toHaveBeenCalledTimes(2);
    update.mockRestore();
  },
);

test('authentication: a process that starts does not record another use within a minute', async () => {
  const customer = await newCustomer(service.db);
  const useOf = async (secondsAgo: number) => {
    const usedAt = new Date(Date.now() - secondsAgo * 1_000);
    await service.owner.update(secrets).set({ lastUsedAt: usedAt }).where(eq(secrets.id, customer.secretId));
    await service.restart();
    expect((await call(getCustomer, customer)).status).toBe(200);
    // Ends once what is under way is written.
    await service.restart();
    const [row] = await service.owner.select().from(secrets).where(eq(secrets.id, customer.secretId));
    return row?.lastUsedAt?.getTime() === usedAt.getTime() ? 'kept' : 'recorded';
  };
  expect([await useOf(30), await useOf(90)]).toEqual(['kept', 'recorded']);
});

test('leak scan: no response and no log line contains a secret', async () => {
  const customer = await newCustomer(service.db);
  const { log } = services();
  const levels = [vi.spyOn(log, 'info'), vi.spyOn(log, 'warn'), vi.spyOn(log, 'error')];
  const responses = await Promise.all([
    call(getCustomer, customer),
    call(getPayout, customer),
    call(addCard, customer, { body: { token: 'tok_visa', card: {} } }),
    call(getCustomer, { apiKey: 'unknown', apiSecret: customer.apiSecret }),
    call(getCustomer, { apiKey: customer.apiSecret, apiSecret: customer.apiKey }),
  ]);
  for (const { text, headers } of responses) {
    expect(text + JSON.stringify([...headers])).not.toContain(customer.apiSecret);
  }
  const lines = levels.flatMap((level) => level.mock.calls);
  expect(lines.length).toBeGreaterThanOrEqual(responses.length);
  expect(JSON.stringify(lines)).not.toContain(customer.apiSecret);
  vi.restoreAllMocks();
});
