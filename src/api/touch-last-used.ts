import { and, eq, sql } from 'drizzle-orm';
import { secrets } from '#db/schema.ts';
import type { Services } from './services.ts';

const precisionMs = 60_000;
const touchedMax = 10_000;
const touchedAtMs = new Map<number, number>();

/**
 * Records when a secret was last used. The response does not wait for it, and each secret costs at most one write per
 * minute.
 * @param lastUsedAt as stored
 */
export function touchLastUsed(
  { db, log }: Services,
  customerId: number,
  secretId: number,
  lastUsedAt: Date | null,
): void {
  const now = Date.now();
  if (now - Math.max(lastUsedAt?.getTime() ?? 0, touchedAtMs.get(secretId) ?? 0) < precisionMs) return;
  if (touchedAtMs.size >= touchedMax) touchedAtMs.clear();
  touchedAtMs.set(secretId, now);
  db.update(secrets)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(secrets.customerId, customerId), eq(secrets.id, secretId)))
    .catch((error: unknown) => log.warn({ error }, 'The last use of a secret could not be recorded.'));
}
