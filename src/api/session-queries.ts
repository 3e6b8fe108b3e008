import { AsyncResource } from 'node:async_hooks';
import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { deleteInBatches } from '#db/delete-in-batches.ts';
import { cities, customers, secrets, sessions } from '#db/schema.ts';
import { auditInsert } from '#src/audit.ts';
import { isSecretLive } from '#src/customers/get-customer.ts';
import { createBatches } from './batches.ts';
import { columns, type Include } from './principal.ts';
import type { SessionKey } from './session-cookie.ts';

type NewSession = Omit<typeof sessions.$inferInsert, 'createdAt' | 'lastUsedAt' | 'expiresAt'> & {
  lifetimeSeconds: number;
  address: string;
  /** The session that the browser had before. */
  previous: SessionKey | null;
};

/** The least recently used sessions end when a customer opens more. */
export const sessionsMax = 20;

/**
 * Opens a session, ends those that it replaces, and stores the client address with the customer.
 * @throws Error with PostgreSQL's no_data_found for a customer that is not active
 */
export async function insertSession(db: Database, session: NewSession): Promise<void> {
  const { customerId, idHash, secretId, device, lifetimeSeconds, address, previous } = session;
  const opened = sql`(select from opened) opened, customers where customers.id = ${customerId}`;
  await db.execute(sql`
    with opened as materialized (
      select open_session(${customerId}, ${idHash}::bytea, ${secretId}, ${device},
        now() + make_interval(secs => ${lifetimeSeconds}), ${address}, ${previous?.customerId ?? null}::bigint, ${previous?.idHash ?? null}::bytea, ${sessionsMax}::integer)
        is null as is_open)
    ${auditOf('session.opened', opened)}`);
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
    .with(closed, db.$with('audited', {}).as(auditOf('session.closed', owners)))
    .select()
    .from(closed);
  return rows.length > 0;
}

/** @param from customers that signed in or out */
const auditOf = (action: string, from: SQL) =>
  auditInsert({
    actor: 'customer',
    action,
    customerId: sql`id`,
    from,
  });

/** @param idleMinutes `SESSION_IDLE_MINUTES`, or its placeholder */
const isSessionLive = (idleMinutes: unknown) => sql`${sessions.expiresAt} > now()
  and ${sessions.lastUsedAt} > now() - make_interval(mins => ${idleMinutes}::int)`;

function bySession(db: Database, include: Include | 'page') {
  return db
    .select({
      ...columns(include, sql`${sql.placeholder('customerId')}::bigint`),
      secretId: sessions.secretId,
      sessionLastUsedAt: sessions.lastUsedAt,
    })
    .from(sessions)
    .innerJoin(secrets, and(eq(secrets.customerId, sessions.customerId), eq(secrets.id, sessions.secretId)))
    .innerJoin(customers, eq(customers.id, sessions.customerId))
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(
      sql`${sessions.customerId} = ${sql.placeholder('customerId')}
        and ${sessions.idHash} = ${sql.placeholder('idHash')} and ${isSecretLive}
        and ${isSessionLive(sql.placeholder('idleMinutes'))}`,
    )
    .prepare(`principal_by_session_${include}`);
}

/** Far fewer than a pool lets wait, so that no other statement is refused because of sessions. */
const runningMax = 32;

/**
 * Reads the customers of sessions that have not ended and whose secrets are still valid. Those of one customer take turns
 * with the others.
 */
export function createSessionReads(db: Database, idleMinutes: number) {
  const statements = {
    nothing: bySession(db, 'nothing'),
    record: bySession(db, 'record'),
    payout: bySession(db, 'payout'),
    page: bySession(db, 'page'),
  };
  const read = async (include: Include | 'page', key: SessionKey) =>
    (await statements[include].execute({ ...key, idleMinutes, at: new Date().toISOString() }))[0];
  const run = (reads: (() => ReturnType<typeof read>)[]) => Promise.all(reads.map((read) => read()));
  const { add, waitingCount } = createBatches(run, { itemsMax: 1, runningMax });
  return {
    /** In the context of its request, for traces. */
    find: (include: Include | 'page', key: SessionKey) =>
      add(
        AsyncResource.bind(() => read(include, key)),
        `${key.customerId}`,
      ),
    waitingCount,
  };
}

/** @returns the sessions that are open, the most recently used first */
export function listSessions(db: Database, customerId: number, idleMinutes: number) {
  return db
    .select({ idHash: sessions.idHash, device: sessions.device, lastUsedAt: sessions.lastUsedAt })
    .from(sessions)
    .innerJoin(secrets, and(eq(secrets.customerId, sessions.customerId), eq(secrets.id, sessions.secretId)))
    .where(and(eq(sessions.customerId, customerId), isSessionLive(idleMinutes), isSecretLive))
    .orderBy(desc(sessions.lastUsedAt), desc(sessions.createdAt));
}

export function deleteEndedSessions(db: Database, idleMinutes: number): Promise<void> {
  return deleteInBatches(db, sessions, sql`not (${isSessionLive(idleMinutes)})`);
}
