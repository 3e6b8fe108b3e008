import { hash, randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '#db/client.ts';
import { findRecentAdditions } from '#src/cards/addition-queries.ts';
import type { ProblemCode } from '#src/errors.ts';
import type { Settings } from '#src/settings.ts';
import { networkOf } from './client-address.ts';
import { HttpProblem } from './problems.ts';
import { type Quota, type QuotaStore, quotaSeconds } from './quota-store.ts';
import { createStoredCounters } from './stored-counter.ts';

/** Without classes of ours, because copies of this module (Next's bundle) share them. */
export type RateLimits = ReturnType<typeof createRateLimits>;

/** Of a customer with valid credentials. Each writes a session and an audit entry. */
const signInsPerMinute = 30;

/** Of a network. A page with many violations is as well described by its first. */
const cspReportsPerMinute = 20;

/** A block dropped from memory costs one read. */
const failureBlocksMax = 10_000;

/** Failed authentications are counted in PostgreSQL, across all instances. */
export function createRateLimits(db: Database, settings: Settings, { quota }: QuotaStore) {
  const windowSeconds = settings.LIMIT_FAILED_AUTH_WINDOW_SECONDS;
  const failures = createStoredCounters(db, windowSeconds);
  return {
    requests: quota('requests', settings.LIMIT_REQUESTS_PER_MINUTE),
    failuresByKey: failures.createCounter('auth-key', settings.LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS),
    failuresByAddress: failures.createCounter('auth-address', settings.LIMIT_FAILED_AUTH_PER_ADDRESS),
    /** How many failures wait to be counted. */
    waitingCount: failures.waitingCount,
    signIns: quota('sign-ins', signInsPerMinute),
    cspReports: new RateLimiterMemory({ points: cspReportsPerMinute, duration: 60 }),
    /** Counters that have reached their limit, until they reset. Failures that they count need no statement. */
    failureBlocks: new LRUCache<string, true>({ max: failureBlocksMax }),
    /** Customers with a request over the quota that is listed for them. */
    listedRefusals: new LRUCache<number, true>({ max: 10_000, ttl: quotaSeconds * 1_000 }),
    /** Networks with a client that has used up a limit for failures, and how many refusals of each are delayed. */
    blockedNetworks: new LRUCache<string, { delayedCount: number }>({
      max: failureBlocksMax,
      ttl: windowSeconds * 1_000,
      memoMethod: () => ({ delayedCount: 0 }),
    }),
  };
}

/** The hashed name of a stored counter: short, and without the API key. */
export function limitKey(...parts: string[]): string {
  return hash('sha256', parts.join('\n'), 'base64url').slice(0, 22);
}

/** Counts a request. @returns the RateLimit headers, and the problem (429) if the quota is used up */
export async function countRequest({ requests }: RateLimits, customerId: number) {
  const state = await requests.consume(customerId).catch((rest: RateLimiterRes) => rest);
  const isOver = state.consumedPoints > requests.points;
  return {
    headers: rateLimitHeaders(state, requests.points),
    refusal: isOver ? overQuota(state) : null,
  };
}

/** Counts nothing. @returns the refusal (429) of a customer who has used up the requests of this minute */
export async function refusalOfRequest(
  { requests }: RateLimits,
  customerId: number,
): Promise<HttpProblem | null> {
  const state = await requests.get(customerId);
  // The limiter's timers can be late.
  const isUsedUp = state !== null && state.msBeforeNext > 0 && state.consumedPoints >= requests.points;
  return isUsedUp ? overQuota(state) : null;
}

/** @throws HttpProblem 429 when a customer signs in too often */
export function countSignIn({ signIns }: RateLimits, customerId: number): Promise<void> {
  return consume(signIns, customerId);
}

/** @throws HttpProblem 429 when a network reports too much */
export function countCspReport({ cspReports }: RateLimits, address: string): Promise<void> {
  return consume(cspReports, networkOf(address));
}

/** draft-ietf-httpapi-ratelimit-headers. */
function rateLimitHeaders(state: RateLimiterRes, points: number): Record<string, string> {
  return {
    'RateLimit-Policy': `"requests";q=${points};w=${quotaSeconds}`,
    RateLimit: `"requests";r=${Math.max(points - state.consumedPoints, 0)};t=${seconds(msLeft(state))}`,
  };
}

/** About as long as the provider takes to check a card. */
const checkSeconds = 2;

/** How many times a request looks again, within about a second, for the outcomes of cards that are being checked. */
const looksMax = 4;

export const cardLimitProblems: readonly ProblemCode[] = ['too_many_declines', 'too_many_new_cards'];

/**
 * A customer's limits of declined cards and of new tokens, whatever their outcome, across all instances. Cards that are being
 * checked count for both until their outcome is known, so that many at once cannot pass.
 * The returned function throws `cardLimitProblems`.
 */
export function cardLimits(
  { db, settings }: { db: Database; settings: Settings },
  customerId: number,
): (claimed: { id: number; isNew: boolean }) => Promise<void> {
  const max = { declines: settings.LIMIT_DECLINES_PER_HOUR, additions: settings.LIMIT_NEW_CARDS_PER_HOUR };
  const findRefusal = async ({ id, isNew }: { id: number; isNew: boolean }) => {
    const { declines, additions, inProgress } = await findRecentAdditions(db, customerId, max);
    const refusal = (code: ProblemCode, { count, secondsLeft }: typeof declines, countMax: number) => {
      const excess = count + inProgress.length - countMax;
      return { code, excess, secondsLeft, isAmongLast: inProgress.slice(-excess).includes(id) };
    };
    const refusals = [refusal('too_many_declines', declines, max.declines)];
    if (isNew) refusals.push(refusal('too_many_new_cards', additions, max.additions));
    return refusals.find(({ excess }) => excess > 0);
  };
  return async (claimed) => {
    let refusal = await findRefusal(claimed);
    // Only because of cards that are being checked. Of many that came together, the last are refused, and the others are not,
    // even if all look again at the same time.
    for (let look = 1; look <= looksMax && refusal?.secondsLeft === null; look++) {
      if (look > 1 && refusal.isAmongLast) break;
      await setTimeout(randomInt(50, 500));
      refusal = await findRefusal(claimed);
    }
    if (refusal) throw overLimit(refusal.code, (refusal.secondsLeft ?? checkSeconds) * 1_000);
  };
}

/** @throws HttpProblem too_many_requests when the limit is used up */
async function consume(limit: Pick<Quota, 'consume'>, key: string | number): Promise<void> {
  await limit.consume(key).catch((refusal: unknown) => {
    throw refusal instanceof RateLimiterRes ? overQuota(refusal) : refusal;
  });
}

const overQuota = (state: RateLimiterRes) => overLimit('too_many_requests', msLeft(state));

/** After the clock of the process was set back, a counter in memory takes longer to reset by that clock. */
const msLeft = ({ msBeforeNext }: RateLimiterRes) => Math.min(msBeforeNext, quotaSeconds * 1_000);

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

export function overLimit(code: ProblemCode, msBeforeNext: number): HttpProblem {
  return new HttpProblem(code, { headers: { 'Retry-After': String(seconds(msBeforeNext)) } });
}
