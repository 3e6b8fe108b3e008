import { hash } from 'node:crypto';
import { RateLimiterDrizzle, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '#db/client.ts';
import { limitCounts } from '#db/schema.ts';
import type { Settings } from '#src/settings.ts';
import type { FailureLimits } from './principal-queries.ts';
import { HttpProblem, type ProblemCode } from './problems.ts';

/** Plain limiters: copies of this module share them, so what they refuse is turned into problems outside. */
export type RateLimits = ReturnType<typeof createRateLimits>;

/**
 * Three quotas. Accepted requests are counted in memory, so that the good path writes nothing; failed
 * authentications and declined cards in PostgreSQL, for all instances.
 */
export function createRateLimits(storeClient: Database, settings: Settings) {
  const stored = (keyPrefix: string, points: number, duration: number) =>
    new RateLimiterDrizzle({ storeClient, schema: limitCounts, keyPrefix, points, duration });
  const failureWindow = settings.LIMIT_FAILED_AUTH_WINDOW_SECONDS;
  return {
    requests: new RateLimiterMemory({ points: settings.LIMIT_REQUESTS_PER_MINUTE, duration: 60 }),
    failuresByKey: stored('auth-key', settings.LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS, failureWindow),
    failuresByAddress: stored('auth-address', settings.LIMIT_FAILED_AUTH_PER_ADDRESS, failureWindow),
    declines: stored('declines', settings.LIMIT_DECLINES_PER_HOUR, 3600),
  };
}

/** A key and an address as the stored counters name them: short, and nothing that could be used. */
function limitKey(...parts: string[]): string {
  return hash('sha256', parts.join('\n'), 'base64url').slice(0, 22);
}

/** Counts a request. @returns the headers that say what is left, and the refusal (429) when nothing was */
export async function countRequest({ requests }: RateLimits, customerId: number) {
  const state = await requests.consume(customerId).catch((rest: RateLimiterRes) => rest);
  const isOver = state.consumedPoints > requests.points;
  return {
    headers: rateLimitHeaders(state, requests.points),
    refusal: isOver ? overLimit('too_many_requests', state) : null,
  };
}

/** draft-ietf-httpapi-ratelimit-headers. */
function rateLimitHeaders(state: RateLimiterRes, points: number): Record<string, string> {
  return {
    'RateLimit-Policy': `"requests";q=${points};w=60`,
    RateLimit: `"requests";r=${Math.max(points - state.consumedPoints, 0)};t=${seconds(state)}`,
  };
}

/**
 * Counts a failed authentication.
 * @throws HttpProblem 429 when there were too many, by the key from this address or by the address
 */
export async function countFailedAuthentication(
  { failuresByKey, failuresByAddress }: RateLimits,
  apiKey: string,
  address: string,
): Promise<void> {
  const counts = [
    failuresByKey.consume(limitKey(apiKey, address)),
    failuresByAddress.consume(limitKey(address)),
  ];
  const [refused] = await refusals(counts);
  if (refused) throw overLimit('too_many_failures', refused);
}

/** The counters of failed authentications, as the statement that finds the caller reads them along. */
export function failureLimits(
  { failuresByKey, failuresByAddress }: RateLimits,
  apiKey: string,
  address: string,
): FailureLimits {
  return {
    keyCounter: failuresByKey.getKey(limitKey(apiKey, address)),
    failuresPerKeyMax: failuresByKey.points,
    addressCounter: failuresByAddress.getKey(limitKey(address)),
    failuresPerAddressMax: failuresByAddress.points,
  };
}

/** There were too many failures before, and this was one more. */
export function refuseUntil(time: Date): HttpProblem {
  return overLimit('too_many_failures', { msBeforeNext: time.getTime() - Date.now() });
}

/** @throws HttpProblem 429 when the customer had too many cards declined in the last hour */
export async function refuseAfterDeclines({ declines }: RateLimits, customerId: number): Promise<void> {
  const state = await declines.get(String(customerId));
  if (state && state.consumedPoints >= declines.points) throw overLimit('too_many_declines', state);
}

export async function countDecline({ declines }: RateLimits, customerId: number): Promise<void> {
  await refusals([declines.consume(String(customerId))]);
}

async function refusals(counts: Promise<RateLimiterRes>[]): Promise<RateLimiterRes[]> {
  const results = await Promise.allSettled(counts);
  return results.flatMap((result) => {
    if (result.status === 'fulfilled') return [];
    if (result.reason instanceof RateLimiterRes) return [result.reason];
    throw result.reason;
  });
}

function seconds(state: Pick<RateLimiterRes, 'msBeforeNext'>): number {
  return Math.max(1, Math.ceil(state.msBeforeNext / 1000));
}

function overLimit(code: ProblemCode, state: Pick<RateLimiterRes, 'msBeforeNext'>): HttpProblem {
  return new HttpProblem(code, { headers: { 'Retry-After': String(seconds(state)) } });
}
