import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cities, customers, secrets, sessions } from '#db/schema.ts';
import { columns, type Include } from './principal-columns.ts';
import type { Services } from './services.ts';
import type { SessionKey } from './session-cookie.ts';
import { isSecretLive, isSessionLive } from './session-queries.ts';
import { touchSession } from './touch-last-used.ts';

function bySession(db: Database, include: Include) {
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

const prepared = new WeakMap<Database, Map<Include, ReturnType<typeof bySession>>>();

/** Prepares the statement once per database. */
function sessionStatement(db: Database, include: Include) {
  const known = prepared.get(db) ?? new Map<Include, ReturnType<typeof bySession>>();
  prepared.set(db, known);
  const found = known.get(include) ?? bySession(db, include);
  known.set(include, found);
  return found;
}

/**
 * The customer of a browser session that has not ended and whose secret is still valid. Records the use of the session.
 */
export async function findBySession(services: Services, include: Include, key: SessionKey, at: Date) {
  const idleMinutes = services.settings.SESSION_IDLE_MINUTES;
  const [row] = await sessionStatement(services.reads, include).execute({
    ...key,
    idleMinutes,
    at: at.toISOString(),
  });
  if (row) touchSession(services, key, row.sessionLastUsedAt);
  return row;
}

export type SessionRow = NonNullable<Awaited<ReturnType<typeof findBySession>>>;
