import { and, desc, eq, lt, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { audit } from '#db/schema.ts';
import { getCustomerByUsername } from './get-customer.ts';

export type AuditEntry = typeof audit.$inferSelect;

/**
 * Audit entries, latest first.
 * @param options.username only what concerns that customer
 * @param options.after the id of the last entry of the page before
 * @throws DomainError not_found
 */
export async function listAudit(
  db: Database,
  { username, after, limit }: { username?: string | undefined; after?: number | undefined; limit: number },
): Promise<AuditEntry[]> {
  const owner = username === undefined ? undefined : await getCustomerByUsername(db, username);
  return db
    .select()
    .from(audit)
    .where(
      and(
        owner && eq(audit.customerId, owner.customer.id),
        after === undefined ? undefined : lt(audit.id, after),
      ),
    )
    .orderBy(desc(audit.id))
    .limit(limit);
}

export type ListedSecurityEvent = {
  at: Date;
  event: string;
  username: string;
  /** Who did it, if it is known. */
  actor: string | null;
  reason: string | null;
  keyPrefix: string | null;
  channel: string;
  address: string | null;
  requestId: string | null;
};

/**
 * Sign-ins, secrets that were issued or revoked, refused authentications of known keys, and lockouts, latest first.
 * @throws DomainError not_found
 */
export async function listSecurityEvents(
  db: Database,
  { username, sinceSeconds, limit }: { username?: string | undefined; sinceSeconds: number; limit: number },
): Promise<ListedSecurityEvent[]> {
  const owner = username === undefined ? undefined : await getCustomerByUsername(db, username);
  const condition = sql`at > now() - make_interval(secs => ${sinceSeconds}::double precision)
    and (${owner?.customer.id ?? null}::bigint is null or customer_id = ${owner?.customer.id ?? null}::bigint)`;
  const rows = await db.execute<Omit<ListedSecurityEvent, 'at'> & { at: string }>(sql`
    select at, event, username, actor, reason, key_prefix as "keyPrefix", channel, address, request_id as "requestId"
    from (
      select at, event, customer_id, null as actor, reason, key_prefix, channel, address, request_id
      from security_events where ${condition}
      union all
      select at, action, customer_id, actor, null, null, channel, address, request_id
      from audit where ${condition}
        and (action like 'session.%' or action like 'secret.%' or action = 'customer.created')) events
    join customers on customers.id = events.customer_id
    order by at desc limit ${limit}`);
  return rows.map((row) => ({ ...row, at: new Date(row.at) }));
}
