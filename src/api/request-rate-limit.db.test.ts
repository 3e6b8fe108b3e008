import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { getPayout } from '#src/api/operations/get-payout.ts';
import { call, testService } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';

const perMinute = process.env.FULL ? 600 : 60;
const tenMinutesMs = 600_000;
/** What a request takes, so that the time left is hardly ever whole seconds. */
const requestMs = 7;
const service = await testService({ LIMIT_REQUESTS_PER_MINUTE: String(perMinute) });

// Only the time of day is ours. Timers do not know of it and come late, as they do in a busy process.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Left = { requests: number; seconds: number };

/** One accepted request. @returns what its answer says is left */
async function accepted(customer: TestCustomer, count: number): Promise<Left> {
  const { status, headers } = await call(count % 2 ? getCustomer : getPayout, customer);
  vi.setSystemTime(Date.now() + requestMs);
  expect([count, status]).toEqual([count, 200]);
  const [, requests, seconds] = /^"requests";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
  return { requests: Number(requests), seconds: Number(seconds) };
}

/** @param pauseMs how long a caller waits after an answer that said this */
async function tenMinutes(pauseMs: (left: Left) => number): Promise<number> {
  const customer = await newCustomer(service.db);
  const endsAt = Date.now() + tenMinutesMs;
  let count = 0;
  while (Date.now() < endsAt) {
    const left = await accepted(customer, count);
    count += 1;
    vi.setSystemTime(Date.now() + pauseMs(left));
  }
  return count;
}

test('rate limit: no 429 in ten minutes for a client that spends the quota at once and then waits as told', async () => {
  const count = await tenMinutes(({ requests, seconds }) => (requests === 0 ? seconds * 1000 : 0));
  expect(count).toBe(10 * perMinute);
});

test('rate limit: no 429 for a client that spreads the remaining quota over the remaining time', async () => {
  const count = await tenMinutes(({ requests, seconds }) => (seconds * 1000) / Math.max(requests, 1));
  // Requests take time and seconds are told whole, so a little less than the budget is used.
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
  vi.setSystemTime(startedAt + 60_000);
  expect((await accepted(customer, 0)).requests).toBe(perMinute - 1);
});
