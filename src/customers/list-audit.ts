import { and, desc, eq, lt } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { auditEntries } from '#db/schema/index.ts';
import { requireCustomer } from './show-customer.ts';

export type AuditEntry = typeof auditEntries.$inferSelect;

/**
 * Who changed what, latest first.
 * @param options.username only what concerns that customer
 * @param options.after the id of the last entry of the page before
 * @throws DomainError not_found
 */
export async function listAudit(
  db: Database,
  options: { username?: string | undefined; after?: number | undefined; most: number },
): Promise<AuditEntry[]> {
  const owner = options.username === undefined ? undefined : await requireCustomer(db, options.username);
  return db
    .select()
    .from(auditEntries)
    .where(
      and(
        owner && eq(auditEntries.customerId, owner.customer.id),
        options.after === undefined ? undefined : lt(auditEntries.id, options.after),
      ),
    )
    .orderBy(desc(auditEntries.id))
    .limit(options.most);
}
