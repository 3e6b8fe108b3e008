import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';

export type Rotation = { customerId: number; apiKey: string; oldExpiresAt: Date | null };

/** @returns undefined when there is no such customer */
export async function rotateSecret(
  db: Database,
  actor: string,
  input: { username: string; hash: Buffer; overlapSeconds: number },
): Promise<Rotation | undefined> {
  const [row] = await db.execute<{ customer_id: number; api_key: string; old_expires_at: string | null }>(sql`
    select * from rotate_secret(${input.username}, ${input.hash}::bytea,
      make_interval(secs => ${input.overlapSeconds}::double precision), ${actor})`);
  return (
    row && {
      customerId: row.customer_id,
      apiKey: row.api_key,
      oldExpiresAt: row.old_expires_at === null ? null : new Date(row.old_expires_at),
    }
  );
}

/**
 * Ends secrets from the next request on.
 * @param isOldOnly only those that a rotation left an overlap
 * @returns how many were ended; undefined when there is no such customer
 */
export async function revokeSecrets(
  db: Database,
  actor: string,
  input: { username: string; isOldOnly: boolean },
): Promise<number | undefined> {
  const [row] = await db.execute<{ isKnown: boolean; revoked: number }>(sql`
    with owner as (select id, username from customers where username = ${input.username}),
    revoked as (
      update secrets s set revoked_at = now() from owner
      where s.customer_id = owner.id and s.revoked_at is null and (s.expires_at is null or s.expires_at > now())
        and (not ${input.isOldOnly}::boolean or s.expires_at is not null)
      returning s.id),
    audited as (
      insert into audit_entries (actor, action, customer_id, subject, after)
      select ${actor}, 'secret.revoked', owner.id, owner.username,
        jsonb_build_object('secret_ids', (select jsonb_agg(id) from revoked))
      from owner where exists (select from revoked))
    select exists (select from owner) as "isKnown", (select count(*) from revoked)::integer as revoked`);
  return row?.isKnown ? row.revoked : undefined;
}
