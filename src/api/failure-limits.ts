/** Limits for failed authentications, by client and by key. */
import { setTimeout as pause } from 'node:timers/promises';
import type { RateLimiterDrizzle, RateLimiterRes } from 'rate-limiter-flexible';
import type { Origin } from '#src/audit.ts';
import { networkOf } from './client-address.ts';
import { HttpProblem } from './problems.ts';
import { consumed, limitKey, overLimit, type RateLimits } from './rate-limits.ts';

type FailureCounter = { limiter: RateLimiterDrizzle; key: string };
type Caller = { apiKey: string; address: string };

/** With `blockedAtATime`, 400 failures of a network a second, whatever the number of connections. */
const blockedPauseMs = 10;
const waitingMax = 1_000;
/** Each one that waits is a page that is being rendered. */
const signInsWaitingMax = 16;

/** Of the client's network, and of the key from there. */
function countersOf(
  { failuresByAddress, failuresByKey }: RateLimits,
  { apiKey, address }: Caller,
): FailureCounter[] {
  const network = networkOf(address);
  return [
    { limiter: failuresByAddress, key: limitKey(network) },
    { limiter: failuresByKey, key: limitKey(apiKey, network) },
  ];
}

/**
 * Authenticates clients that have used up a limit for failures a few at a time, and slows down their failures, so that they
 * do not slow down others. The right pair is served, because others can share the address.
 * @throws HttpProblem unavailable if too many of the network wait
 */
export async function whenBlocked<Result>(
  limits: RateLimits,
  caller: Caller & Pick<Origin, 'channel'>,
  authenticate: () => Promise<Result>,
): Promise<Result> {
  const { failureBlocks, blockedNetworks } = limits;
  const isBlocked = countersOf(limits, caller).some(({ limiter, key }) =>
    failureBlocks.has(limiter.getKey(key)),
  );
  if (!isBlocked) return authenticate();
  const limit = blockedNetworks.memo(networkOf(caller.address));
  const max = caller.channel === 'dashboard' ? signInsWaitingMax : waitingMax;
  if (limit.pendingCount >= max) throw new HttpProblem('unavailable');
  return limit(async () => {
    try {
      return await authenticate();
    } catch (error) {
      await pause(blockedPauseMs);
      throw error;
    }
  });
}

/**
 * Counts a failed authentication for the client's network and, if a customer has the key, for the key from there.
 * Writes nothing once one of them is used up, and no row for a key that does not exist.
 * @param onLockout called by the failure that uses one of them up, and so once in a window over all processes
 * @throws HttpProblem 429 when there were too many before
 */
export async function countFailedAuthentication(
  limits: RateLimits,
  { isKeyKnown, ...caller }: Caller & { isKeyKnown: boolean },
  onLockout: () => void,
): Promise<void> {
  const { failureBlocks } = limits;
  const counters = countersOf(limits, caller).slice(0, isKeyKnown ? 2 : 1);
  for (const { limiter, key } of counters) {
    const msBeforeNext = failureBlocks.getRemainingTTL(limiter.getKey(key));
    if (msBeforeNext > 0) throw overLimit('too_many_failures', { msBeforeNext });
  }
  const refuse = ({ limiter, key }: FailureCounter, state: RateLimiterRes) => {
    failureBlocks.set(limiter.getKey(key), true, { ttl: Math.max(1, state.msBeforeNext) });
    throw overLimit('too_many_failures', state);
  };
  // Another process may have counted the rest.
  for (const counter of counters) {
    const state = await counter.limiter.get(counter.key);
    if (state && state.consumedPoints >= counter.limiter.points) refuse(counter, state);
  }
  for (const counter of counters) {
    const state = await consumed(counter.limiter.consume(counter.key));
    if (state.consumedPoints === counter.limiter.points) onLockout();
    if (state.consumedPoints > counter.limiter.points) refuse(counter, state);
  }
}
