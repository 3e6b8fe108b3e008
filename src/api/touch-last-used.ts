import { db } from '#db/client.ts';
import { touchSecret } from '#src/customers/secret-queries.ts';
import { log } from '#src/log.ts';

const precisionMs = 60_000;
const touchedMax = 10_000;
const touchedAtMs = new Map<number, number>();

/**
 * Records when a secret was last used, to the minute and beside the request: a response never waits for it, and a busy
 * secret costs one write a minute.
 * @param lastUsedAt as stored
 */
export function touchLastUsed(secretId: number, lastUsedAt: Date | null): void {
  const now = Date.now();
  if (now - Math.max(lastUsedAt?.getTime() ?? 0, touchedAtMs.get(secretId) ?? 0) < precisionMs) return;
  if (touchedAtMs.size >= touchedMax) touchedAtMs.clear();
  touchedAtMs.set(secretId, now);
  touchSecret(db(), secretId).catch((error: unknown) =>
    log().warn({ error }, 'The last use of a secret could not be recorded.'),
  );
}
