import { setTimeout as pause } from 'node:timers/promises';
import { networkOf } from './client-address.ts';
import type { ApiRequest } from './messages.ts';
import { HttpProblem } from './problems.ts';
import type { RateLimits } from './rate-limits.ts';

/** 100 refusals of a network a second, whatever the number of its connections. */
const intervalMs = 10;
/** Of a form, which occupies one of the pages that can render at a time. */
export const formDelayMaxMs = 40;

/**
 * Delays the refusal of a client that has used up a limit for failed authentications, so that its guesses do not slow down
 * others. The right pair is not delayed, because others can share the address.
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
