/** Limits for failed authentications, by client and by key. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Origin } from '#src/audit.ts';
import { DomainError } from '#src/errors.ts';
import { networkOf } from './client-address.ts';
import type { FailureCounter } from './failure-counter.ts';
import { HttpProblem } from './problems.ts';
import { limitKey, overLimit, type RateLimits } from './rate-limits.ts';

type Caller = { apiKey: string; address: string };

/** With `refusedAtATime`, 400 failures of a network a second, whatever the number of connections. */
const refusalPauseMs = 10;
/** Of a network, before and after they are authenticated. */
const waitingMax = 1_000;
/** Before they are authenticated. The database needs longer only when it fails, and each of them then takes its time limit. */
const waitMaxMs = 500;
/** Each one that waits is a page that is being rendered. */
const signInsWaitingMax = 16;

/** Of a customer's key from the client's network, which is the smaller limit, and of the network. */
function countersOf(
  { failuresByAddress, failuresByKey }: RateLimits,
  { apiKey, address, isKeyKnown }: Caller & { isKeyKnown: boolean },
): { counter: FailureCounter; key: string }[] {
  const network = networkOf(address);
  const ofNetwork = { counter: failuresByAddress, key: failuresByAddress.keyOf(limitKey(network)) };
  if (!isKeyKnown) return [ofNetwork];
  return [{ counter: failuresByKey, key: failuresByKey.keyOf(limitKey(apiKey, network)) }, ofNetwork];
}

/**
 * Authenticates callers of a network that has failed before some at a time, and delays the refusals of a client that has
 * used up a limit for failures, so that its connections do not slow down others. The right pair is not delayed, because
 * others can share the address.
 * @throws HttpProblem unavailable if too many of the network wait
 */
export async function whileFailing<Result>(
  { failingNetworks }: RateLimits,
  { address, channel }: Pick<Caller, 'address'> & Pick<Origin, 'channel'>,
  authenticate: () => Promise<Result>,
): Promise<Result> {
  const network = networkOf(address);
  const { authentications } = failingNetworks.get(network) ?? {};
  if (authentications && authentications.pendingCount >= waitingMax) throw new HttpProblem('unavailable');
  const startedAt = performance.now();
  const authenticateInTime = () => {
    if (performance.now() - startedAt > waitMaxMs) throw new HttpProblem('unavailable');
    return authenticate();
  };
  try {
    return await (authentications ? authentications(authenticateInTime) : authenticate());
  } catch (error) {
    if (!isFailedAuthentication(error)) throw error;
    const { refusals } = failingNetworks.memo(network);
    const isBlocked = error instanceof HttpProblem && error.code === 'too_many_failures';
    const max = channel === 'dashboard' ? signInsWaitingMax : waitingMax;
    if (isBlocked && refusals.pendingCount < max) await refusals(() => pause(refusalPauseMs));
    throw error;
  }
}

/** Not a failure of the database, which says nothing of the network. */
function isFailedAuthentication(error: unknown): boolean {
  const codes = ['key_unknown', 'secret_invalid', 'too_many_failures'];
  return (error instanceof DomainError || error instanceof HttpProblem) && codes.includes(error.code);
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
