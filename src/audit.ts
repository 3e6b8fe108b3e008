import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';

/** What an audited change works with: the database, and who makes the change (`operator:anna`). */
export type Context = { db: Database; actor: string };

type AuditedChange = {
  actor: string | SQL;
  action: string | SQL;
  /** Absent for what belongs to no customer. */
  customerId?: SQL;
  /** A slug, a username, or a reference. */
  subject: string | SQL;
  before?: SQL;
  after: SQL;
  /** One entry is written for each of its rows. */
  from: SQL;
};

/** Writes the audit of a change: a CTE of the statement that makes the change. */
export function auditInsert({ actor, action, customerId, subject, before, after, from }: AuditedChange): SQL {
  return sql`insert into audit_entries (actor, action, customer_id, subject, before, after)
    select ${actor}, ${action}, ${customerId ?? sql`0`}, ${subject}, ${before ?? sql`null::jsonb`}, ${after} from ${from}`;
}
