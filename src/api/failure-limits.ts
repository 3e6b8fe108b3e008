/** Limits for failed authentications, by client and by key. */
import { setTimeout as pause } from 'node:timers/promises';
import { networkOf } from './client-address.ts';
import type { ApiRequest } from './messages.ts';
import { HttpProblem } from './problems.ts';
import { limitKey, overLimit, type RateLimits } from './rate-limits.ts';

/**
 * Counts a failed authentication for the client's network and, if a customer has the key, for the key from there.
 * Writes nothing once one of them is used up, and no row for a key that does not exist.
 * @param onLockout called by the failure that uses one of them up, and so once in a window over all processes
 * @throws HttpProblem 429 when there were too many before
 */
export async function countFailedAuthentication(
  { failureBlocks, failuresByAddress, failuresByKey }: RateLimits,
  { apiKey, address, isKeyKnown }: { apiKey: string; address: string; isKeyKnown: boolean },
  onLockout: () => void,
): Promise<void> {
  const network = networkOf(address);
  const counters = [{ counter: failuresByAddress, key: failuresByAddress.keyOf(limitKey(network)) }];
  // First, because it is the smaller limit.
  if (isKeyKnown)
    counters.unshift({ counter: failuresByKey, key: failuresByKey.keyOf(limitKey(apiKey, network)) });
  for (const { key } of counters) {
    const msBeforeNext = failureBlocks.getRemainingTTL(key);
    if (msBeforeNext > 0) throw overLimit('too_many_failures', msBeforeNext);
  }
  // In one statement.
  const refusals = await Promise.all(
    counters.map(async ({ counter, key }) => {
      const { rank, msBeforeNext } = await counter.count(key);
      if (rank === counter.pointsMax) onLockout();
      if (rank === null || rank >= counter.pointsMax)
        failureBlocks.set(key, true, { ttl: Math.max(1, msBeforeNext) });
      return rank === null || rank > counter.pointsMax
        ? overLimit('too_many_failures', msBeforeNext)
        : undefined;
    }),
  );
  const refusal = refusals.find((refusal) => refusal !== undefined);
  if (refusal) throw refusal;
}

/** 100 refusals of a network a second, whatever the number of its connections. */
const intervalMs = 10;
/** Of a form, which occupies one of the pages that can render at a time. */
export const formDelayMaxMs = 40;

/**
 * Delays the refusal of a client that has used up a limit for failed authentications, so that its guesses do not slow down
 * others. Valid credentials are not delayed, because others can share the address.
 * @param client.delayMaxMs for a client whose refusal occupies more than a connection
 * @param client.request whose client may disconnect, which then waits no longer
 */
export async function delayRefusal(
  { blockedNetworks }: RateLimits,
  error: unknown,
  client: { address: string; delayMaxMs?: number; request?: Pick<ApiRequest, 'signal'> },
): Promise<void> {
  if (!(error instanceof HttpProblem) || error.code !== 'too_many_failures') return;
  const { address, delayMaxMs = Number.POSITIVE_INFINITY, request } = client;
  const network = blockedNetworks.memo(networkOf(address));
  network.delayedCount += 1;
  const delayMs = Math.min(network.delayedCount * intervalMs, delayMaxMs);
  await pause(delayMs, undefined, request && { signal: request.signal }).catch(() => undefined);
  network.delayedCount -= 1;
}
