import { sql } from 'drizzle-orm';
import { oneRow } from '#db/one-row.ts';
import { auditInsert, type Context } from '#src/audit.ts';
import { DomainError } from '#src/errors.ts';
import { getCustomerByUsername, isSecretLive, listSecrets } from './get-customer.ts';

/**
 * Revokes the customer's secrets from the next request on, and the browser sessions that they opened.
 * @param input.isOldOnly revokes only the secret in its overlap period, and not one whose overlap period begins meanwhile,
 *   because it is the one in use
 * @returns how many secrets were revoked
 * @throws DomainError not_found, refused (nothing to revoke)
 */
export async function revokeSecret(
  { db, actor }: Context,
  { username, isOldOnly = false }: { username: string; isOldOnly?: boolean },
): Promise<{ revoked: number }> {
  const { customer } = await getCustomerByUsername(db, username);
  const secrets = isOldOnly ? await listSecrets(db, customer.id) : [];
  const oldIds = secrets.flatMap(({ id, expiresAt }) => (expiresAt ? [id] : []));
  const audit = auditInsert({
    actor,
    action: 'secret.revoked',
    customerId: sql`${customer.id}::bigint`,
    after: sql`jsonb_build_object('secret_ids', jsonb_agg(id))`,
    from: sql`revoked having count(*) > 0`,
  });
  const { revoked } = await db.transaction(async (tx) => {
    // Not beside a rotation, whose new secret it would not see.
    await tx.execute(sql`select from customers where id = ${customer.id} for no key update`);
    return oneRow(
      tx.execute<{ revoked: number }>(sql`
    with revoked as (
      update secrets set revoked_at = now()
      where customer_id = ${customer.id} and ${isSecretLive} and (not ${isOldOnly}::boolean or id = any(${`{${oldIds}}`}::bigint[]))
      returning id),
    audited as (${audit})
    select count(*)::integer as revoked from revoked`),
    );
  });
  if (revoked === 0) throw new DomainError('refused', 'There is no active secret to revoke.');
  return { revoked };
}
