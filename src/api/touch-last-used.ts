import { db } from '#db/client.ts';
import { touchSecret } from '#src/customers/secret-queries.ts';
import { log } from '#src/log.ts';

const precisionMs = 60_000;
const notedMost = 10_000;
const notedAt = new Map<number, number>();

/**
 * Keeps when a secret was last used, to the minute and beside the request: an answer never waits for it, and a busy
 * secret costs one write a minute.
 * @param lastUsedAt what the database says so far
 */
export function noteSecretUse(secretId: number, lastUsedAt: Date | null): void {
  const now = Date.now();
  if (now - Math.max(lastUsedAt?.getTime() ?? 0, notedAt.get(secretId) ?? 0) < precisionMs) return;
  if (notedAt.size >= notedMost) notedAt.clear();
  notedAt.set(secretId, now);
  touchSecret(db(), secretId).catch((error: unknown) =>
    log().warn({ error }, 'The use of a secret was not noted.'),
  );
}
