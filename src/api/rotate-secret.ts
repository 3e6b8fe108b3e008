import { type OwnRotationOutcome, rotateOwnSecret } from '#src/customers/rotate-secret.ts';
import { authenticatePair, recordRefusal } from './authenticate.ts';
import { delayRefusal, formDelayMaxMs } from './delay-refusal.ts';
import type { CallerLog } from './operation.ts';
import type { Services } from './services.ts';
import type { Client, Session } from './session.ts';

/**
 * Rotates the secret of a signed-in customer, who confirms it with a valid one. Wrong ones count as failed
 * authentications.
 * @throws HttpProblem secret_invalid, account_disabled, too_many_failures
 */
export async function rotateSessionSecret(
  services: Services,
  { customerId, customer, idHash }: Session,
  input: Client & { currentSecret: string; newestSecretId: number },
): Promise<OwnRotationOutcome> {
  const { currentSecret, newestSecretId, ...client } = input;
  const caller: CallerLog = {};
  const origin = { ...client, channel: 'dashboard' as const };
  const pair = { apiKey: customer.apiKey, apiSecret: currentSecret, ...origin };
  await authenticatePair(services, pair, 'nothing', caller).catch(async (error: unknown) => {
    recordRefusal(services, error, { ...caller, ...client, isSignIn: false });
    await delayRefusal(services.rateLimits, error, { ...client, delayMaxMs: formDelayMaxMs });
    throw error;
  });
  const mode = services.settings.mode === 'live' ? 'live' : 'test';
  const rotated = await rotateOwnSecret(services.db, { ...input, customerId, sessionIdHash: idHash, mode });
  const { outcome } = rotated;
  services.securityEvents.record({
    ...{ ...origin, customerId, keyPrefix: caller.keyPrefix },
    ...(outcome === 'rotated' ? { event: 'secret.rotated' } : { event: 'rotation.refused', reason: outcome }),
  });
  return rotated;
}
