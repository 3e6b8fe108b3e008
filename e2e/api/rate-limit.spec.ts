import { setTimeout as pause } from 'node:timers/promises';
import { credentialHeaders, expect, test } from '../support/fixtures.ts';

const payout = '/api/schedule/v1/customers/payout';
const minutes = process.env.FULL ? 10 : 0;
const howLong = minutes ? `for ${minutes} minutes` : 'until the quota is used up';

test(`rate limit: no 429 for a client that follows the RateLimit headers, ${howLong}`, async ({
  baseURL,
  customer,
}) => {
  test.setTimeout((minutes + 2) * 60_000);
  const endsAt = Date.now() + minutes * 60_000;
  const statuses = new Set<number>();
  const headers = credentialHeaders(customer);
  do {
    for (let left = 1; left > 0; ) {
      // Several at a time, so that also a busy machine uses up the quota of a minute within a minute.
      const requests = Array.from({ length: Math.min(left, 20) }, () => fetch(baseURL + payout, { headers }));
      const limits = await Promise.all(
        requests.map(async (request) => {
          const { status, headers } = await request;
          statuses.add(status);
          const [, requestsLeft, seconds] = /r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
          return { requestsLeft: Number(requestsLeft), seconds: Number(seconds) };
        }),
      );
      const [last] = limits.sort((a, b) => a.requestsLeft - b.requestsLeft);
      left = last?.requestsLeft ?? Number.NaN;
      expect(left).not.toBeNaN();
      if (left === 0 && Date.now() < endsAt) await pause((last?.seconds ?? 0) * 1000);
    }
  } while (Date.now() < endsAt);
  expect([...statuses]).toEqual([200]);
});
