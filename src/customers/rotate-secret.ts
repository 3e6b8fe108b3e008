import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { oneRow } from '#db/one-row.ts';
import { auditInsert, type Context } from '#src/audit.ts';
import { DomainError } from '#src/errors.ts';
import { type Mode, newToken, tokenHash } from '#src/tokens.ts';
import type { Credentials } from './create-customer.ts';
import { getCustomerByUsername } from './get-customer.ts';

const overlapSecondsMax = 90 * 24 * 60 * 60;

export type RotateSecretInput = { username: string; overlapSeconds: number; mode: Mode };
export type RotatedCredentials = Credentials & { oldSecretExpiresAt: Date | null };

/**
 * Issues a new secret. The newest one that was used, or else the newest, stays valid for the overlap period, but not past its
 * own expiry; others are revoked.
 * @param input.overlapSeconds 0 revokes the old secret immediately
 * @throws DomainError invalid_input, not_found, refused
 */
export async function rotateSecret(ctx: Context, input: RotateSecretInput): Promise<RotatedCredentials> {
  const { username, overlapSeconds, mode } = input;
  if (!(overlapSeconds >= 0 && overlapSeconds <= overlapSecondsMax)) {
    throw new DomainError('invalid_input', 'The overlap must be from 0 to 90 days.', [
      { param: 'overlap', message: 'Must be from 0 to 90d.' },
    ]);
  }
  const { customer } = await getCustomerByUsername(ctx.db, username);
  const { id, apiKey } = customer;
  const apiSecret = newToken('secret', mode);
  const audit = auditInsert({
    actor: ctx.actor,
    action: 'secret.rotated',
    customerId: sql`${id}::bigint`,
    before: sql`jsonb_build_object('secret_id', old_secret_id)`,
    after: sql`jsonb_build_object('secret_id', secret_id, 'old_expires_at', old_expires_at)`,
    from: sql`rotated`,
  });
  const [rotated] = await ctx.db.execute<{ oldExpiresAt: string | null }>(sql`
    with rotated as materialized (
      select * from rotate_secret(${id}, ${tokenHash(apiSecret)}::bytea,
        make_interval(secs => ${overlapSeconds}::double precision), now())),
    audited as (${audit})
    select old_expires_at as "oldExpiresAt" from rotated`);
  if (!rotated) throw new DomainError('refused', 'This customer is erased.');
  const oldSecretExpiresAt = rotated.oldExpiresAt ? new Date(rotated.oldExpiresAt) : null;
  return { id, username, apiKey, apiSecret, oldSecretExpiresAt };
}

export type OwnRotation = {
  customerId: number;
  /** Confirms the rotation, and stays valid for up to 24 hours. Others are revoked. */
  currentSecret: string;
  /** The newest valid secret when the form was made. */
  newestSecretId: number;
  /** The browser's session, which gets the new secret. */
  sessionIdHash: Buffer;
  mode: Mode;
  address: string;
  requestId?: string | undefined;
};

/**
 * - `newest_changed`: the newest secret is another one, such as when a form is sent twice
 * - `newest_in_use`: a previous secret was entered, and the newest has been used
 * - `too_many`: 5 secrets were issued in 24 hours
 */
export type OwnRotationOutcome =
  | { outcome: 'secret_invalid' | 'newest_changed' | 'newest_in_use' | 'too_many' }
  | { outcome: 'rotated'; apiSecret: string; oldSecretExpiresAt: Date };

/** Rotates a secret for the customer. The service may do this only with `rotate_own_secret`, which also audits it. */
export async function rotateOwnSecret(
  db: Database,
  { customerId, currentSecret, newestSecretId, sessionIdHash, mode, address, requestId }: OwnRotation,
): Promise<OwnRotationOutcome> {
  const apiSecret = newToken('secret', mode);
  const { outcome, oldExpiresAt } = await oneRow(
    db.execute<{ outcome: OwnRotationOutcome['outcome']; oldExpiresAt: string }>(sql`
    select outcome, old_expires_at as "oldExpiresAt" from rotate_own_secret(${customerId}, ${currentSecret}::text,
      ${newestSecretId}::bigint, ${tokenHash(apiSecret)}::bytea, ${sessionIdHash}::bytea, ${requestId ?? null}::text,
      ${address}::text)`),
  );
  return outcome === 'rotated'
    ? { outcome, apiSecret, oldSecretExpiresAt: new Date(oldExpiresAt) }
    : { outcome };
}
