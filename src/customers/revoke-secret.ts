import { DomainError } from '#src/errors.ts';
import type { Context } from '#src/verb-context.ts';
import { revokeSecrets } from './secret-change-queries.ts';

/**
 * Ends the customer's secrets from the next request on, and the browser sessions that they opened.
 * @param input.isOldOnly ends only what a rotation left an overlap
 * @returns how many secrets were ended
 * @throws DomainError not_found, refused (nothing to revoke)
 */
export async function revokeSecret(
  ctx: Context,
  input: { username: string; isOldOnly?: boolean },
): Promise<{ revoked: number }> {
  const { username, isOldOnly = false } = input;
  const revoked = await revokeSecrets(ctx.db, ctx.actor, { username, isOldOnly });
  if (revoked === undefined) throw new DomainError('not_found', 'There is no customer of that username.');
  if (revoked === 0) throw new DomainError('refused', 'There is no such secret that is still valid.');
  return { revoked };
}
