import { pino } from 'pino';
import { expect, onTestFinished, vi } from 'vitest';
import { openQuotaStore } from '#src/api/quota-store.ts';
import {
  countRequest,
  countSignIn,
  createRateLimits,
  type RateLimits,
  refusalOfRequest,
} from '#src/api/rate-limits.ts';
import { readSettings } from '#src/settings.ts';
import type { TestDatabase } from './database.ts';

const requestsMax = 10;
/** Longer than a busy machine takes for a count. */
const waitMaxMs = 2_000;

/** The limits of two processes with the same settings. Their stores are closed after the test. */
export function startQuotaProcesses({ web: db }: Pick<TestDatabase, 'web'>, QUOTA_STORE: string) {
  const settings = readSettings({ QUOTA_STORE, LIMIT_REQUESTS_PER_MINUTE: String(requestsMax) });
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  const onFallback = vi.fn<() => void>();
  const stores = [1, 2].map(() => openQuotaStore(settings, { db, log, onFallback, waitMaxMs }));
  const close = () => {
    for (const store of stores) store.close();
  };
  onTestFinished(close);
  const [first, second] = stores.map((store) => createRateLimits(db, settings, store)) as [
    RateLimits,
    RateLimits,
  ];
  const count = (message: string) => logged.filter((line) => line.includes(message)).length;
  return {
    first,
    second,
    /** @returns the remaining quota after a request at each of them */
    remaining: async (customerId: number) => [
      await remainingAt(first, customerId),
      await remainingAt(second, customerId),
    ],
    /** @returns how many outages both have logged as begun, and as ended */
    outages: () => ({
      begun: count('The quota store failed'),
      ended: count('Quotas are counted in the store again'),
    }),
    /** @returns how many requests both have counted by themselves */
    fallbacks: () => onFallback.mock.calls.length,
    close,
  };
}

/** Sends a request. @returns the remaining quota according to its headers, or -1 if it is refused */
async function remainingAt(rateLimits: RateLimits, customerId: number): Promise<number> {
  const { headers, refusal } = await countRequest(rateLimits, customerId);
  expect(headers['RateLimit-Policy']).toBe(`"requests";q=${requestsMax};w=60`);
  const [, left] = /^"requests";r=(\d+);t=([1-5]?\d|60)$/.exec(headers.RateLimit ?? '') ?? [];
  return refusal ? -1 : Number(left);
}

/** Expects that each request and each sign-in of one process counts in the other. */
export async function expectSharedQuota({
  first,
  second,
  remaining,
  fallbacks,
}: ReturnType<typeof startQuotaProcesses>) {
  expect(await refusalOfRequest(first, 1)).toBeNull();
  const counts = [await remaining(1), await remaining(1), await remaining(1), await remaining(1)];
  expect(counts.flat()).toEqual([9, 8, 7, 6, 5, 4, 3, 2]);
  expect(await refusalOfRequest(first, 1)).toBeNull();
  expect([await remaining(1), await remaining(1), await remaining(2)]).toEqual([
    [1, 0],
    [-1, -1],
    [9, 8],
  ]);
  for (const rateLimits of [first, second])
    expect(await refusalOfRequest(rateLimits, 1)).toMatchObject({ code: 'too_many_requests' });
  const signIn = (n: number) => countSignIn(n % 2 ? first : second, 1);
  const signIns = await Promise.allSettled(Array.from({ length: 33 }, (_, n) => signIn(n)));
  const refusal = { reason: { code: 'too_many_requests' } };
  expect(signIns.filter(({ status }) => status === 'rejected')).toMatchObject([refusal, refusal, refusal]);
  expect(fallbacks()).toBe(0);
}
