import { and, eq, lte, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { customers, sessions } from '#db/schema.ts';
import type { SessionKey } from './session-cookie.ts';

type NewSession = typeof sessions.$inferInsert & { address: string };

/** Opens a session and stores the client address with the customer, in one statement. */
export async function insertSession(db: Database, { address, ...session }: NewSession): Promise<void> {
  const signedIn = db.$with('signed_in').as(
    db
      .update(customers)
      .set({ clientIp: address, updatedAt: sql`${customers.updatedAt}` })
      .where(eq(customers.id, session.customerId))
      .returning({ id: customers.id }),
  );
  await db.with(signedIn).insert(sessions).values(session);
}

export async function deleteSession(db: Database, { customerId, idHash }: SessionKey): Promise<void> {
  await db.delete(sessions).where(and(eq(sessions.customerId, customerId), eq(sessions.idHash, idHash)));
}

export async function deleteEndedSessions(db: Database): Promise<void> {
  await db.delete(sessions).where(lte(sessions.expiresAt, sql`now()`));
}
