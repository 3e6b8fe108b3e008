import { and, eq, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { secrets, sessions } from '#db/schema.ts';
import type { SessionKey } from './session-cookie.ts';

const precisionMs = 60_000;
/** After a failure. A rotation keeps the newest secret that was used, so a use should not be missing for long. */
const retryMs = 1_000;
const lastUsedAt = sql`now()`;

/**
 * Records when secrets and sessions were last used. The response does not wait for it, and each of them costs at most one
 * write per minute.
 */
export function createLastUses(db: Database, log: Logger) {
  const recordedAtMs = new LRUCache<number | string, number>({ max: 10_000 });
  const record = (key: number | string, storedAt: Date, update: () => Promise<unknown>) => {
    const now = Date.now();
    if (now - Math.max(storedAt.getTime(), recordedAtMs.get(key) ?? 0) < precisionMs) return;
    recordedAtMs.set(key, now);
    update().catch((error: unknown) => {
      recordedAtMs.set(key, now - precisionMs + retryMs);
      log.warn({ error }, 'The last use could not be recorded.');
    });
  };
  return {
    /** @param storedAt when it was used before, or long ago if it was not */
    ofSecret: (customerId: number, id: number, storedAt: Date) =>
      record(id, storedAt, () =>
        db
          .update(secrets)
          .set({ lastUsedAt })
          .where(and(eq(secrets.customerId, customerId), eq(secrets.id, id))),
      ),
    /** @param storedAt when it was used before */
    ofSession: ({ customerId, idHash }: SessionKey, storedAt: Date) =>
      record(idHash.toString('base64'), storedAt, () =>
        db
          .update(sessions)
          .set({ lastUsedAt })
          .where(and(eq(sessions.customerId, customerId), eq(sessions.idHash, idHash))),
      ),
  };
}
