import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '../support/fixtures.ts';

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
  const credentials = { 'X-AUTH-APIKEY': customer.apiKey, 'X-AUTH-APISECRET': customer.apiSecret };
  do {
    for (let left = Number.POSITIVE_INFINITY; left > 0; ) {
      // Faster than the client of the other tests, which on a busy machine takes a minute for a minute's quota.
      const response = await fetch(baseURL + payout, { headers: credentials });
      statuses.add(response.status);
      await response.text();
      const [, requests, seconds] = /r=(\d+);t=(\d+)/.exec(response.headers.get('ratelimit') ?? '') ?? [];
      left = Number(requests);
      if (left === 0 && Date.now() < endsAt) await pause(Number(seconds) * 1000);
    }
  } while (Date.now() < endsAt);
  expect([...statuses]).toEqual([200]);
});
