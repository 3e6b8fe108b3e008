import { hash } from 'node:crypto';
import type { PgTable } from 'drizzle-orm/pg-core';
import { RateLimiterDrizzle, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { db } from '#db/client.ts';
import { limitCounts } from '#db/schema.ts';
import { type Settings, settings } from '#src/settings.ts';
import type { Middleware } from './operation.ts';
import type { FailureLimits } from './principal-queries.ts';
import { HttpProblem, type ProblemCode } from './problems.ts';

/** What a limiter uses of the database, over the pool of the moment: a silent pool is closed and replaced. */
const storeClient = {
  select: () => db().select(),
  insert: (table: PgTable) => db().insert(table),
  delete: (table: PgTable) => db().delete(table),
};

/**
 * Three quotas. Accepted requests are counted in memory, so that the good path writes nothing; failed
 * authentications and declined cards in PostgreSQL, for all instances.
 */
function makeLimits(from: Settings) {
  const stored = (keyPrefix: string, points: number, duration: number) =>
    new RateLimiterDrizzle({ storeClient, schema: limitCounts, keyPrefix, points, duration });
  const failureWindow = from.LIMIT_FAILED_AUTH_WINDOW_SECONDS;
  return {
    requests: new RateLimiterMemory({ points: from.LIMIT_REQUESTS_PER_MINUTE, duration: 60 }),
    failuresByKey: stored('auth-key', from.LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS, failureWindow),
    failuresByAddress: stored('auth-address', from.LIMIT_FAILED_AUTH_PER_ADDRESS, failureWindow),
    declines: stored('declines', from.LIMIT_DECLINES_PER_HOUR, 3600),
  };
}

let made: ReturnType<typeof makeLimits> | undefined;

function limits() {
  made ??= makeLimits(settings());
  return made;
}

/** A key and an address as the stored counters name them: short, and nothing that could be used. */
function limitKey(...parts: string[]): string {
  return hash('sha256', parts.join('\n'), 'base64url').slice(0, 22);
}

/** 429 when the customer's requests of this minute are used up; every response says what is left. */
export const limitRate: Middleware = () => async (context, next) => {
  if (!context.principal) throw new Error('Authentication comes first.');
  const { requests } = limits();
  const state = await requests.consume(context.principal.customerId).catch((rest: RateLimiterRes) => rest);
  Object.assign(context.responseHeaders, rateLimitHeaders(state));
  if (state.consumedPoints > requests.points) throw overLimit('too_many_requests', state);
  return next(context);
};

/** draft-ietf-httpapi-ratelimit-headers. */
function rateLimitHeaders(state: RateLimiterRes): Record<string, string> {
  const { points } = limits().requests;
  return {
    'RateLimit-Policy': `"requests";q=${points};w=60`,
    RateLimit: `"requests";r=${Math.max(points - state.consumedPoints, 0)};t=${seconds(state)}`,
  };
}

/**
 * Counts a failed authentication.
 * @throws HttpProblem 429 when there were too many, by the key from this address or by the address
 */
export async function countFailedAuthentication(apiKey: string, address: string): Promise<void> {
  const { failuresByKey, failuresByAddress } = limits();
  const counts = [
    failuresByKey.consume(limitKey(apiKey, address)),
    failuresByAddress.consume(limitKey(address)),
  ];
  const [refused] = await refusals(counts);
  if (refused) throw overLimit('too_many_failures', refused);
}

/** The counters of failed authentications, as the statement that finds the caller reads them along. */
export function failureLimits(apiKey: string, address: string): FailureLimits {
  const { failuresByKey, failuresByAddress } = limits();
  return {
    keyCounter: failuresByKey.getKey(limitKey(apiKey, address)),
    keyMost: failuresByKey.points,
    addressCounter: failuresByAddress.getKey(limitKey(address)),
    addressMost: failuresByAddress.points,
  };
}

/** There were too many failures before, and this was one more. */
export function refuseUntil(time: Date): HttpProblem {
  return overLimit('too_many_failures', { msBeforeNext: time.getTime() - Date.now() });
}

/** @throws HttpProblem 429 when the customer had too many cards declined in the last hour */
export async function refuseAfterDeclines(customerId: number): Promise<void> {
  const { declines } = limits();
  const state = await declines.get(String(customerId));
  if (state && state.consumedPoints >= declines.points) throw overLimit('too_many_declines', state);
}

export async function countDecline(customerId: number): Promise<void> {
  await refusals([limits().declines.consume(String(customerId))]);
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
