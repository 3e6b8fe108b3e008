import { and, eq, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { secrets, sessions } from '#db/schema.ts';
import type { SessionKey } from './session-cookie.ts';

const precisionMs = 60_000;
/** After a failure of a first use, which should not be missing for long: a rotation keeps the newest secret that was used. */
const retryMs = 1_000;
const lastUsedAt = sql`now()`;

/**
 * Records when secrets and sessions were last used. The response does not wait for it, and each of them costs at most one
 * write per minute, or per second until a first use is recorded.
 */
export function createLastUses(db: Database, log: Logger) {
  /** Not by the clock of the host, which can be set. */
  const recordedAtMs = new LRUCache<number | string, number>({ max: 10_000 });
  const record = (key: number | string, storedAt: Date, update: () => Promise<unknown>) => {
    if (Math.abs(Date.now() - storedAt.getTime()) < precisionMs) return;
    const now = performance.now();
    if (now - (recordedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < precisionMs) return;
    recordedAtMs.set(key, now);
    update().catch((error: unknown) => {
      if (storedAt.getTime() === 0) recordedAtMs.set(key, performance.now() - precisionMs + retryMs);
      log.warn({ error }, 'The last use could not be recorded.');
    });
  };
  return {
    /** @param storedAt when it was used before, or 1970 if it was not */
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
