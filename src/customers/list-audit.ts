import { and, desc, eq, lt } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { auditEntries } from '#db/schema.ts';
import { getCustomerByUsername } from './get-customer.ts';

export type AuditEntry = typeof auditEntries.$inferSelect;

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
    .from(auditEntries)
    .where(
      and(
        owner && eq(auditEntries.customerId, owner.customer.id),
        after === undefined ? undefined : lt(auditEntries.id, after),
      ),
    )
    .orderBy(desc(auditEntries.id))
    .limit(limit);
}
