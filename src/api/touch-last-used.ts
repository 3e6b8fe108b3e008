import { and, eq, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Database } from '#db/client.ts';
import { secrets, sessions } from '#db/schema.ts';
import type { Services } from './services.ts';
import type { SessionKey } from './session-cookie.ts';

const precisionMs = 60_000;
const touched = new WeakMap<Database, LRUCache<number | string, number>>();

/** Records when a secret was last used. @param lastUsedAt as stored */
export function touchSecret(
  { db, log }: Services,
  customerId: number,
  secretId: number,
  lastUsedAt: Date | null,
): void {
  touch({ db, log }, secretId, lastUsedAt, () =>
    db
      .update(secrets)
      .set({ lastUsedAt: sql`now()` })
      .where(and(eq(secrets.customerId, customerId), eq(secrets.id, secretId))),
  );
}

/** Records when a session was last used. @param lastUsedAt as stored */
export function touchSession(
  { db, log }: Services,
  { customerId, idHash }: SessionKey,
  lastUsedAt: Date,
): void {
  touch({ db, log }, idHash.toString('base64'), lastUsedAt, () =>
    db
      .update(sessions)
      .set({ lastUsedAt: sql`now()` })
      .where(and(eq(sessions.customerId, customerId), eq(sessions.idHash, idHash))),
  );
}

/** The response does not wait for it, and each secret or session costs at most one write per minute. */
function touch(
  { db, log }: Pick<Services, 'db' | 'log'>,
  key: number | string,
  lastUsedAt: Date | null,
  update: () => Promise<unknown>,
): void {
  const touchedAtMs = touched.get(db) ?? new LRUCache<number | string, number>({ max: 10_000 });
  touched.set(db, touchedAtMs);
  const now = Date.now();
  if (now - Math.max(lastUsedAt?.getTime() ?? 0, touchedAtMs.get(key) ?? 0) < precisionMs) return;
  touchedAtMs.set(key, now);
  update().catch((error: unknown) => log.warn({ error }, 'The last use could not be recorded.'));
}
