import { and, desc, eq, inArray, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { customers, secrets, sessions } from '#db/schema.ts';
import { auditInsert } from '#src/audit.ts';
import type { SessionKey } from './session-cookie.ts';

type NewSession = typeof sessions.$inferInsert & {
  address: string;
  /** The session that the browser had before. */
  previous: SessionKey | null;
};

/** The least recently used sessions end when a customer opens more. */
export const sessionsMax = 20;

/** Opens a session, ends those that it replaces, and stores the client address with the customer. */
export async function insertSession(
  db: Database,
  { address, previous, ...session }: NewSession,
): Promise<void> {
  const ofCustomer = eq(sessions.customerId, session.customerId);
  await db.transaction(async (tx) => {
    // Sign-ins at the same time must not exceed the maximum.
    await tx.select().from(customers).where(eq(customers.id, session.customerId)).for('no key update');
    const surplus = tx
      .select({ idHash: sessions.idHash })
      .from(sessions)
      .where(ofCustomer)
      .orderBy(desc(sessions.lastUsedAt), desc(sessions.createdAt))
      .offset(sessionsMax - 1);
    const isReplaced = previous ? isSession(previous) : undefined;
    await tx.delete(sessions).where(or(isReplaced, and(ofCustomer, inArray(sessions.idHash, surplus))));
    const signedIn = tx.$with('signed_in').as(
      tx
        .update(customers)
        .set({ clientIp: address, updatedAt: sql`${customers.updatedAt}` })
        .where(eq(customers.id, session.customerId))
        .returning({ id: customers.id, username: customers.username }),
    );
    const audited = auditOf(tx, 'session.opened', sql`signed_in`);
    await tx.with(signedIn, audited).insert(sessions).values(session);
  });
}

const isSession = ({ customerId, idHash }: SessionKey) =>
  and(eq(sessions.customerId, customerId), eq(sessions.idHash, idHash));

/** @param isEverywhere also ends the customer's other sessions @returns whether any was open */
export async function deleteSession(
  db: Database,
  key: SessionKey,
  { isEverywhere }: { isEverywhere: boolean },
): Promise<boolean> {
  const closed = db.$with('closed').as(
    db
      .delete(sessions)
      .where(isEverywhere ? eq(sessions.customerId, key.customerId) : isSession(key))
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
function auditOf(db: Pick<Database, '$with'>, action: string, from: SQL) {
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

/** Whether the secret of a session is valid. Rotating and revoking it ends its sessions. */
export const isSecretLive = sql`${secrets.revokedAt} is null
  and (${secrets.expiresAt} is null or ${secrets.expiresAt} > now())`;

/** @param idleMinutes `SESSION_IDLE_MINUTES`, or its placeholder */
export const isSessionLive = (idleMinutes: unknown) => sql`${sessions.expiresAt} > now()
  and ${sessions.lastUsedAt} > now() - make_interval(mins => ${idleMinutes}::int)`;

/** @returns the sessions that are open, the most recently used first */
export function listSessions(db: Database, customerId: number, idleMinutes: number) {
  return db
    .select({ idHash: sessions.idHash, device: sessions.device, lastUsedAt: sessions.lastUsedAt })
    .from(sessions)
    .innerJoin(secrets, and(eq(secrets.customerId, sessions.customerId), eq(secrets.id, sessions.secretId)))
    .where(and(eq(sessions.customerId, customerId), isSessionLive(idleMinutes), isSecretLive))
    .orderBy(desc(sessions.lastUsedAt), desc(sessions.createdAt));
}

export async function deleteEndedSessions(db: Database, idleMinutes: number): Promise<void> {
  await db
    .delete(sessions)
    .where(
      or(
        lte(sessions.expiresAt, sql`now()`),
        lte(sessions.lastUsedAt, sql`now() - make_interval(mins => ${idleMinutes}::int)`),
      ),
    );
}
