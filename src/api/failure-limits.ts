/** Limits for failed authentications, by client and by key. */
import { networkOf } from './client-address.ts';
import { limitKey, overLimit, type RateLimits } from './rate-limits.ts';
import type { StoredCounter } from './stored-counter.ts';

type Caller = { apiKey: string; address: string };

/** Of a customer's key from the client's network, which is the smaller limit, and of the network. */
function countersOf(
  { failuresByAddress, failuresByKey }: RateLimits,
  { apiKey, address, isKeyKnown }: Caller & { isKeyKnown: boolean },
): { counter: StoredCounter; key: string }[] {
  const network = networkOf(address);
  const ofNetwork = { counter: failuresByAddress, key: failuresByAddress.keyOf(limitKey(network)) };
  if (!isKeyKnown) return [ofNetwork];
  return [{ counter: failuresByKey, key: failuresByKey.keyOf(limitKey(apiKey, network)) }, ofNetwork];
}

/**
 * Counts a failed authentication for the client's network and, if a customer has the key, for the key from there.
 * Writes nothing once one of them is used up, and no row for a key that does not exist.
 * @param onLockout called by the failure that uses one of them up, and so once in a window over all processes
 * @throws HttpProblem 429 when there were too many before
 */
export async function countFailedAuthentication(
  limits: RateLimits,
  caller: Caller & { isKeyKnown: boolean },
  onLockout: () => void,
): Promise<void> {
  const { failureBlocks } = limits;
  const counters = countersOf(limits, caller);
  for (const { key } of counters) {
    const msBeforeNext = failureBlocks.getRemainingTTL(key);
    if (msBeforeNext > 0) throw overLimit('too_many_failures', { msBeforeNext });
  }
  for (const { counter, key } of counters) {
    const { rank, msBeforeNext } = await counter.count(key);
    if (rank === counter.pointsMax) onLockout();
    if (rank === null || rank >= counter.pointsMax)
      failureBlocks.set(key, true, { ttl: Math.max(1, msBeforeNext) });
    if (rank === null || rank > counter.pointsMax) throw overLimit('too_many_failures', { msBeforeNext });
  }
}
