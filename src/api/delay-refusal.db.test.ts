import { expect, test, vi } from 'vitest';
import { delayRefusal } from '#src/api/failure-limits.ts';
import { pathTo } from '#src/api/operation.ts';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { overLimit } from '#src/api/rate-limits.ts';
import { handleApiRequest } from '#src/api/router.ts';
import { services } from '#src/api/services.ts';
import { openSession } from '#src/api/session.ts';
import { newToken } from '#src/tokens.ts';
import { call, testService } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { fakeTimers } from '#tools/testing/fake-timers.ts';

const service = await testService({
  LIMIT_REQUESTS_PER_MINUTE: '100000',
  LIMIT_FAILED_AUTH_PER_ADDRESS: '20',
});
const guess = () => ({ apiKey: newToken('key', 'test'), apiSecret: newToken('secret', 'test') });
const statusOf = async (pair: Pick<TestCustomer, 'apiKey' | 'apiSecret'>, address: string) =>
  (await call(getCustomer, pair, { headers: { 'x-forwarded-for': address } })).status;
const repeat = <Result>(count: number, run: () => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, run));

async function block(address: string) {
  for (let n = 0; n < 21; n += 1) await statusOf(guess(), address);
}

test('rate limit: 3,000 guesses of a blocked client in flight delay neither others nor its valid credentials', async () => {
  const address = '10.1.0.1';
  const [customer, other] = [await newCustomer(service.db), await newCustomer(service.db)];
  await block(address);
  // The refusals then do not end before the client disconnects.
  services().rateLimits.blockedNetworks.memo(address).delayedCount = 1_000_000;
  const client = new AbortController();
  let ended = 0;
  const sendGuess = async () => {
    const { apiKey, apiSecret } = guess();
    const headers = { 'x-auth-apikey': apiKey, 'x-auth-apisecret': apiSecret, 'x-forwarded-for': address };
    const url = `http://127.0.0.1${pathTo(getCustomer)}`;
    const { status } = await handleApiRequest(new Request(url, { headers, signal: client.signal }));
    ended += 1;
    return status;
  };
  const guesses: Promise<number[]>[] = [];
  // So few at a time that a busy machine reads all keys before the time limit of a statement.
  for (let sent = 0; sent < 3_000; sent += 100) {
    guesses.push(repeat(100, sendGuess));
    expect(new Set(await repeat(5, () => statusOf(customer, address)))).toEqual(new Set([200]));
    expect(await statusOf(other, '10.1.1.1')).toBe(200);
  }
  expect(await openSession(services(), { ...customer, address })).toHaveProperty('value');
  expect(ended).toBe(0);
  client.abort();
  expect(new Set((await Promise.all(guesses)).flat())).toEqual(new Set([429]));
});

test('rate limit: refusals of a blocked client end by themselves', async () => {
  await block('10.1.0.2');
  expect(new Set(await repeat(100, () => statusOf(guess(), '10.1.0.2')))).toEqual(new Set([429]));
});

/** Items of the two statements that check keys at a time. */
const runningCount = 2 * 64;

/**
 * Runs without a response of the database, like one that takes long for each authentication, until requests of another
 * network have been refused because of that.
 * @param run sends this many requests
 */
async function whileDatabaseIsSlow(count: number, run: () => void) {
  const customer = await newCustomer(service.db);
  // PostgreSQL's clock is not advanced. The statements that check keys wait until their table is unlocked.
  await services().reads.execute('SET statement_timeout = 0');
  try {
    await service.sql.begin(async (locked) => {
      await locked.unsafe('LOCK TABLE customers IN ACCESS EXCLUSIVE MODE');
      fakeTimers();
      run();
      const others = Array.from({ length: 600 }, async () => {
        if ((await statusOf(customer, '10.1.9.9')) !== 503) throw new Error('It was served.');
      });
      await expect.poll(services().keyReads.waitingCount).toBe(count + others.length - runningCount);
      await vi.advanceTimersByTimeAsync(500);
      await Promise.any(others);
    });
  } finally {
    vi.useRealTimers();
  }
}

/** @returns how many of each status for valid credentials at once, from an address with failures before */
async function validStatuses(
  address: string,
  { count, failuresBefore }: { count: number; failuresBefore: number },
) {
  const customer = await newCustomer(service.db);
  for (let n = 0; n < failuresBefore; n += 1) await statusOf(guess(), address);
  let statuses: Promise<number[]> | undefined;
  await whileDatabaseIsSlow(count, () => {
    statuses = repeat(count, () => statusOf(customer, address));
  });
  const counts = new Map<number, number>();
  for (const status of (await statuses) ?? []) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

test('rate limit: one failure from an address changes nothing for 1,100 valid requests at once', async () => {
  const clean = await validStatuses('10.1.2.1', { count: 1_100, failuresBefore: 0 });
  expect([...clean.keys()].sort()).toEqual([200, 503]);
  expect(await validStatuses('10.1.2.2', { count: 1_100, failuresBefore: 1 })).toEqual(clean);
});

test('rate limit: valid credentials of a blocked client are not refused under overload', async () => {
  await block('10.1.3.1');
  expect(await validStatuses('10.1.3.1', { count: 1_100, failuresBefore: 0 })).toEqual(
    new Map([[200, 1_100]]),
  );
});

test('rate limit: a client that has disconnected is no longer delayed', async () => {
  const { rateLimits } = services();
  const error = overLimit('too_many_failures', 1_000);
  const gone = new AbortController();
  const client = { address: '10.1.4.1', request: gone };
  rateLimits.blockedNetworks.memo(client.address).delayedCount = 1_000_000;
  const refusal = delayRefusal(rateLimits, error, client);
  gone.abort();
  await refusal;
  expect(rateLimits.blockedNetworks.get(client.address)).toEqual({ delayedCount: 1_000_000 });
});

test('rate limit: only too many failures delay a refusal', async () => {
  const { rateLimits } = services();
  const address = '10.1.5.1';
  for (const error of [new Error('The database is gone.'), overLimit('too_many_requests', 1)])
    await delayRefusal(rateLimits, error, { address });
  await statusOf(guess(), address);
  expect(rateLimits.blockedNetworks.has(address)).toBe(false);
});
