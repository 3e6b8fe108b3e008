import { DomainError } from '#src/errors.ts';
import { type Mode, newToken, tokenHash } from '#src/tokens.ts';
import type { Context } from '#src/verb-context.ts';
import type { Credentials } from './create-customer.ts';
import { rotateSecret as write } from './secret-change-queries.ts';

export const defaultOverlapSeconds = 24 * 60 * 60;
const longestOverlapSeconds = 90 * 24 * 60 * 60;

export type RotateSecretInput = { username: string; overlapSeconds?: number; mode: Mode };
export type RotatedCredentials = Credentials & { oldSecretExpiresAt: Date | null };

/**
 * Issues a new secret. The one before stays valid for the overlap, but never past its own expiry; older ones end now.
 * @param input.overlapSeconds 0 ends the old secret at once
 * @throws DomainError invalid_input, not_found
 */
export async function rotateSecret(ctx: Context, input: RotateSecretInput): Promise<RotatedCredentials> {
  const { username, overlapSeconds = defaultOverlapSeconds, mode } = input;
  if (!(overlapSeconds >= 0 && overlapSeconds <= longestOverlapSeconds)) {
    throw new DomainError('invalid_input', 'The overlap is between 0 and 90 days.', [
      { param: 'overlap', message: 'It is between 0 and 90d.' },
    ]);
  }
  const apiSecret = newToken('secret', mode);
  const rotation = await write(ctx.db, ctx.actor, { username, hash: tokenHash(apiSecret), overlapSeconds });
  if (!rotation) throw new DomainError('not_found', 'There is no customer of that username.');
  const { customerId: id, apiKey, oldExpiresAt: oldSecretExpiresAt } = rotation;
  return { id, username, apiKey, apiSecret, oldSecretExpiresAt };
}
