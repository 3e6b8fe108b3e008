import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { getPayout } from '#src/api/operations/get-payout.ts';
import { refusalOfRequest } from '#src/api/rate-limits.ts';
import { services } from '#src/api/services.ts';
import { call, testService } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';

const perMinute = process.env.FULL ? 600 : 60;
const tenMinutesMs = 600_000;
/** The duration of a request, chosen so that the remaining time is rarely a whole number of seconds. */
const requestMs = 7;
const service = await testService({ LIMIT_REQUESTS_PER_MINUTE: String(perMinute) });

// Only the date is mocked. Timers are not, so they fire late, as in a busy process.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Remaining = { requests: number; seconds: number };

/** Sends one request. @returns the remaining quota according to its response */
async function accepted(customer: TestCustomer, count: number): Promise<Remaining> {
  const { status, headers } = await call(count % 2 ? getCustomer : getPayout, customer);
  vi.setSystemTime(Date.now() + requestMs);
  expect([count, status]).toEqual([count, 200]);
  const [, requests, seconds] = /^"requests";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
  return { requests: Number(requests), seconds: Number(seconds) };
}

/** @param pauseMs how long the client waits after a response. @returns the number of requests in ten minutes */
async function tenMinutes(pauseMs: (remaining: Remaining) => number): Promise<number> {
  const customer = await newCustomer(service.db);
  const endsAt = Date.now() + tenMinutesMs;
  let count = 0;
  while (Date.now() < endsAt) {
    const remaining = await accepted(customer, count);
    count += 1;
    vi.setSystemTime(Date.now() + pauseMs(remaining));
  }
  return count;
}

test('rate limit: no 429 in ten minutes for a client that uses up the quota and then waits until the reset', async () => {
  const count = await tenMinutes(({ requests, seconds }) => (requests === 0 ? seconds * 1000 : 0));
  expect(count).toBe(10 * perMinute);
});

test('rate limit: no 429 for a client that spreads the remaining quota over the remaining time', async () => {
  const count = await tenMinutes(({ requests, seconds }) => (seconds * 1000) / Math.max(requests, 1));
  // Requests take time and seconds are rounded up, so slightly less than the quota is used.
  expect(count).toBeGreaterThan(8 * perMinute);
  expect(count).toBeLessThanOrEqual(10 * perMinute + 1);
});

test('rate limit: returns 429 for a client that does not wait, and 200 after the minute', async () => {
  const customer = await newCustomer(service.db);
  const startedAt = Date.now();
  for (let count = 0; count < perMinute; count += 1) await accepted(customer, count);
  vi.setSystemTime(startedAt + 59_500);
  const refused = await call(getPayout, customer);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  const { rateLimits } = services();
  expect(await refusalOfRequest(rateLimits, customer.id)).toMatchObject({ headers: { 'Retry-After': '1' } });
  vi.setSystemTime(startedAt + 60_000);
  expect(await refusalOfRequest(rateLimits, customer.id)).toBeNull();
  expect((await accepted(customer, 0)).requests).toBe(perMinute - 1);
});

test('rate limit: says at most a minute after the clock was set back', async () => {
  const customer = await newCustomer(service.db);
  for (let count = 0; count < perMinute; count += 1) await accepted(customer, count);
  vi.setSystemTime(Date.now() - 3_600_000);
  const { headers } = await call(getPayout, customer);
  expect([headers.get('ratelimit'), headers.get('retry-after')]).toEqual(['"requests";r=0;t=60', '60']);
  expect(await refusalOfRequest(services().rateLimits, customer.id)).toMatchObject({
    headers: { 'Retry-After': '60' },
  });
});
