import { expect, test } from 'vitest';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { services } from '#src/api/services.ts';
import { openSession } from '#src/api/session.ts';
import { createStoredCounters, deleteOldCounts } from '#src/api/stored-counter.ts';
import type { DomainError } from '#src/errors.ts';
import { newToken } from '#src/tokens.ts';
import { call, testService, writtenByService } from '#tools/testing/api.ts';
import { waitingForLock } from '#tools/testing/database.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { errorBody, normalizeError } from '#tools/testing/normalize.ts';

const service = await testService({
  LIMIT_REQUESTS_PER_MINUTE: '5',
  LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: '3',
  LIMIT_FAILED_AUTH_PER_ADDRESS: '20',
});

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

test('rate limit: returns 429 after the quota, with RateLimit headers in every response', async () => {
  const customer = await newCustomer(service.db);
  for (const left of [4, 3, 2, 1, 0]) {
    const response = await call(getCustomer, customer);
    expect(response.status).toBe(200);
    expect(response.headers.get('ratelimit-policy')).toBe('"requests";q=5;w=60');
    expect(response.headers.get('ratelimit')).toMatch(new RegExp(`^"requests";r=${left};t=\\d+$`));
  }
  const over = await call(getCustomer, customer);
  expect([over.status, normalizeError(over.json)]).toEqual([
    429,
    errorBody('too_many_requests', 'Too many requests. Try again later.'),
  ]);
  expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(over.headers.get('ratelimit')).toContain('r=0');
  // Knowing the key does not use up another customer's quota.
  const other = await newCustomer(service.db);
  for (let n = 0; n < 10; n++) await call(getCustomer, { ...other, apiSecret: 'x' }, from(`10.9.0.${n}`));
  expect((await call(getCustomer, other)).status).toBe(200);
});

test('rate limit: returns 429 after failed authentications per key and address, and valid credentials still work', async () => {
  const customer = await newCustomer(service.db);
  const wrong = { ...customer, apiSecret: newToken('secret', 'test') };
  for (let n = 0; n < 3; n++) expect((await call(getCustomer, wrong, from('10.0.0.1'))).status).toBe(403);
  const refused = await call(getCustomer, wrong, from('10.0.0.1'));
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await call(getCustomer, customer, from('10.0.0.1'))).status, 'valid credentials').toBe(200);
  expect((await call(getCustomer, customer, from('10.0.0.2'))).status).toBe(200);
});

test('rate limit: counts failed authentications of a key per address, and of an address for all keys', async () => {
  const customers = await Promise.all(Array.from({ length: 7 }, () => newCustomer(service.db)));
  const fail = async (customer: TestCustomer | undefined, address: string) =>
    (await call(getCustomer, { apiKey: customer?.apiKey ?? '', apiSecret: 'x' }, from(address))).status;
  for (const customer of customers.slice(0, 6))
    for (let n = 0; n < 3; n++) expect(await fail(customer, '10.0.6.1')).toBe(403);
  expect(await fail(customers[0], '10.0.6.1'), 'the key from this address').toBe(429);
  expect(await fail(customers[0], '10.0.6.2'), 'the key from another address').toBe(403);
  expect(await fail(customers[6], '10.0.6.1'), 'another key').toBe(403);
  // 18 failures of the first six keys, and one of the seventh: one is left of 20.
  expect([await fail(customers[6], '10.0.6.1'), await fail(customers[6], '10.0.6.1')]).toEqual([403, 429]);
  expect((await call(getCustomer, guess(), from('10.0.6.1'))).status, 'an unknown key').toBe(429);
});

test('rate limit: returns 429 after failed authentications per address, for any key', async () => {
  const statuses = new Set<number>();
  for (let n = 0; n < 25; n++) {
    statuses.add(
      (await call(getCustomer, { apiKey: newToken('key', 'test'), apiSecret: 'x' }, from('10.0.1.1'))).status,
    );
  }
  expect([...statuses]).toEqual([403, 429]);
});

test('rate limit: counts failures at the same time exactly', async () => {
  const customer = await newCustomer(service.db);
  const wrong = { ...customer, apiSecret: newToken('secret', 'test') };
  const calls = Array.from({ length: 50 }, () => call(getCustomer, wrong, from('10.0.8.1')));
  const own = call(getCustomer, customer, from('10.0.8.1'));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 403)).toHaveLength(3);
  expect(statuses.filter((status) => status === 429)).toHaveLength(47);
  expect((await own).status).toBe(200);
  // All of them count toward the address, too.
  expect((await call(getCustomer, guess(), from('10.0.8.1'))).status).toBe(429);
});

test('rate limit: processes count into the same rows, and each failure has its own rank', async () => {
  const processes = [0, 1].map(() => createStoredCounters(service.web, 300).createCounter('test', 40));
  const counts = await Promise.all(
    processes.flatMap(({ keyOf, count }) => Array.from({ length: 30 }, () => count(keyOf('shared')))),
  );
  const ranks = counts.flatMap(({ rank }) => (rank === null ? [] : [rank])).sort((a, b) => a - b);
  expect(ranks).toEqual(ranks.map((_, index) => index + 1));
  expect(ranks.length).toBeGreaterThanOrEqual(40);
  const [first] = processes;
  expect(await first?.count(first.keyOf('shared'))).toMatchObject({ rank: null });
  await service.sql`update limit_counts set expire = now() where key = 'test:shared'`;
  expect(await first?.count(first.keyOf('shared'))).toMatchObject({ rank: 1 });
});

test('rate limit: counts nothing for a counter that another process creates and uses up meanwhile', async () => {
  const { keyOf, count } = createStoredCounters(service.web, 300).createCounter('test', 40);
  const other = await service.sql.reserve();
  await other`begin`;
  await other`insert into limit_counts (key, points, expire) values ('test:new', 40, now() + interval '5 minutes')`;
  const counted = count(keyOf('new'));
  await expect.poll(() => waitingForLock(service.sql)).toHaveLength(1);
  await other`commit`;
  other.release();
  expect(await counted).toEqual({ rank: null, msBeforeNext: 300_000 });
});

test('rate limit: a counter whose window ends later than one that begins now begins again', async () => {
  // As after the clock of PostgreSQL was set back.
  const { keyOf, count } = createStoredCounters(service.web, 300).createCounter('test', 1);
  expect([await count(keyOf('later')), await count(keyOf('later'))]).toMatchObject([
    { rank: 1 },
    { rank: null },
  ]);
  await service.sql`update limit_counts set expire = now() + interval '2 hours' where key = 'test:later'`;
  const { rank, msBeforeNext } = await count(keyOf('later'));
  expect(rank).toBe(1);
  expect(msBeforeNext).toBeLessThanOrEqual(300_000);
});

test('rate limit: counts into a window that another process has begun while it waited', async () => {
  const { keyOf, count } = createStoredCounters(service.web, 300).createCounter('test', 40);
  const other = await service.sql.reserve();
  await other`begin`;
  await other`insert into limit_counts (key, points, expire) values ('test:waits', 30, now() + interval '5 minutes')`;
  const counted = count(keyOf('waits'));
  await expect.poll(() => waitingForLock(service.sql)).toHaveLength(1);
  await other`update limit_counts set expire = clock_timestamp() + interval '5 minutes' where key = 'test:waits'`;
  await other`commit`;
  other.release();
  expect(await counted).toMatchObject({ rank: 31 });
});

test('rate limit: counters are deleted an hour after they have expired', async () => {
  await service.sql`
    insert into limit_counts (key, points, expire)
    values ('old', 1, now() - interval '61 minutes'), ('recent', 1, now() - interval '59 minutes')`;
  await deleteOldCounts(service.web);
  const left = await service.sql`select key from limit_counts where key in ('old', 'recent')`;
  expect([...left]).toEqual([{ key: 'recent' }]);
});

/** The number of counters of failed authentications, and their sum. */
async function failureCounts() {
  const [counts] = await service.sql`select count(*)::int as rows, coalesce(sum(points), 0)::int as points
    from limit_counts where key like 'auth-%'`;
  return counts;
}

const guess = () => ({ apiKey: newToken('key', 'test'), apiSecret: newToken('secret', 'test') });

test('rate limit: counts failed authentications of an IPv6 /64 together', async () => {
  const customer = await newCustomer(service.db);
  const wrong = { ...customer, apiSecret: newToken('secret', 'test') };
  const statuses: number[] = [];
  for (let n = 1; n <= 4; n += 1) {
    statuses.push((await call(getCustomer, wrong, from(`2001:db8:0:1:${n}::${n}`))).status);
  }
  expect(statuses).toEqual([403, 403, 403, 429]);
  expect((await call(getCustomer, wrong, from('2001:db8:0:2::1'))).status, 'another /64').toBe(403);
});

test('rate limit: unknown keys create no counters of their own', async () => {
  await call(getCustomer, guess(), from('10.0.2.1'));
  const before = await failureCounts();
  for (let n = 0; n < 5; n += 1) await call(getCustomer, guess(), from('10.0.2.1'));
  expect(await failureCounts()).toEqual({ rows: before?.rows, points: before?.points + 5 });
});

test('rate limit: stores neither the API key nor the address of a failure', async () => {
  const customer = await newCustomer(service.db);
  await call(getCustomer, { ...customer, apiSecret: 'x' }, from('10.0.9.1'));
  const stored = await service.sql`
    select key from limit_counts where key like '%:%' and key not like 'test:%'`;
  expect(stored.length).toBeGreaterThan(1);
  for (const { key } of stored) expect(key).toMatch(/^auth-(key|address):[\w-]{22}$/);
});

test('rate limit: a failure of a blocked client writes nothing, in other processes too, and valid credentials work', async () => {
  const customer = await newCustomer(service.db);
  const wrong = { ...customer, apiSecret: newToken('secret', 'test') };
  for (let n = 0; n < 20; n += 1) await call(getCustomer, guess(), from('10.0.3.1'));
  const before = await failureCounts();
  const refused = async () => {
    for (const pair of [guess(), wrong, guess(), wrong]) {
      const { status, headers } = await call(getCustomer, pair, from('10.0.3.1'));
      expect([status, Number(headers.get('retry-after')) > 200]).toEqual([429, true]);
    }
  };
  await refused();
  await service.restart();
  await refused();
  expect(await failureCounts()).toEqual(before);
  await service.restart();
  expect((await call(getCustomer, wrong, from('10.0.3.1'))).status, 'the first of a new process').toBe(429);
  expect((await call(getCustomer, customer, from('10.0.3.1'))).status).toBe(200);
});

test('rate limit: returns 403 to failed authentications again once the window is over', async () => {
  await service.restart({ LIMIT_FAILED_AUTH_WINDOW_SECONDS: '1' });
  const customer = await newCustomer(service.db);
  const fail = async () =>
    (await call(getCustomer, { ...customer, apiSecret: 'x' }, from('10.0.7.1'))).status;
  try {
    // Counted in one statement, and so in one window.
    expect(await Promise.all(Array.from({ length: 4 }, fail))).toContain(429);
    await expect.poll(fail).toBe(403);
  } finally {
    await service.restart();
  }
});

test('sign-in: refused after failures that are counted with those of the API, and valid credentials work', async () => {
  const customer = await newCustomer(service.db);
  const wrong = { ...customer, apiSecret: newToken('secret', 'test'), address: '10.0.5.1' };
  const codes: unknown[] = [];
  for (let n = 0; n < 3; n += 1)
    codes.push(await openSession(services(), wrong).catch(({ code }: DomainError) => code));
  expect(codes).toEqual(['secret_invalid', 'secret_invalid', 'secret_invalid']);
  await expect(openSession(services(), wrong)).rejects.toMatchObject({ code: 'too_many_failures' });
  expect((await call(getCustomer, wrong, from('10.0.5.1'))).status).toBe(429);
  expect(await openSession(services(), { ...customer, address: '10.0.5.1' })).toHaveProperty('value');
});

test('rate limit: the log line of a 429 has no error', async () => {
  const customer = await newCustomer(service.db);
  const wrong = { ...customer, apiSecret: newToken('secret', 'test') };
  const headers = { 'x-forwarded-for': '10.0.4.1', 'x-request-id': 'blocked-client' };
  for (let n = 0; n < 4; n += 1) await call(getCustomer, wrong, { headers });
  const { log = '' } = await writtenByService(service);
  const lines = log.split('\n').filter((line) => line.includes('blocked-client'));
  const [last] = lines.map((line) => JSON.parse(line)).slice(-1);
  expect(last).toMatchObject({ level: 'info', status: 429, customerId: customer.id });
  expect(last).not.toHaveProperty('error');
});
