import { and, eq, lte, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { customers, sessions } from '#db/schema.ts';
import { auditInsert } from '#src/audit.ts';
import type { SessionKey } from './session-cookie.ts';

type NewSession = typeof sessions.$inferInsert & { address: string };

/** Opens a session and stores the client address with the customer, in one statement. */
export async function insertSession(db: Database, { address, ...session }: NewSession): Promise<void> {
  const signedIn = db.$with('signed_in').as(
    db
      .update(customers)
      .set({ clientIp: address, updatedAt: sql`${customers.updatedAt}` })
      .where(eq(customers.id, session.customerId))
      .returning({ id: customers.id, username: customers.username }),
  );
  const audited = auditOf(db, 'session.opened', sql`signed_in`);
  await db.with(signedIn, audited).insert(sessions).values(session);
}

/** @returns whether it was open */
export async function deleteSession(db: Database, { customerId, idHash }: SessionKey): Promise<boolean> {
  const closed = db.$with('closed').as(
    db
      .delete(sessions)
      .where(and(eq(sessions.customerId, customerId), eq(sessions.idHash, idHash)))
      .returning({ customerId: sessions.customerId }),
  );
  const owners = sql`customers where id in (select customer_id from closed)`;
  const rows = await db
    .with(closed, auditOf(db, 'session.closed', owners))
    .select()
    .from(closed);
  return rows.length > 0;
}

/** @param from customers that signed in or out */
function auditOf(db: Database, action: string, from: SQL) {
  const entry = auditInsert({
    actor: sql`'customer:' || username`,
    action,
    customerId: sql`id`,
    subject: sql`username`,
    after: sql`'{}'::jsonb`,
    from,
  });
  return db.$with('audited', {}).as(entry);
}

export async function deleteEndedSessions(db: Database): Promise<void> {
  await db.delete(sessions).where(lte(sessions.expiresAt, sql`now()`));
}
