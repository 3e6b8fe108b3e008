import { and, desc, eq, lt } from 'drizzle-orm';
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
