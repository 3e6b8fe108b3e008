import type { Pool } from '#db/client.ts';
import { schemaCheck } from '#db/schema-version.ts';
import { probeTimeoutMs, type Server } from '#db/server.ts';
import { withTimeout } from '#db/with-timeout.ts';

/** Anyone can ask, and it must not add load to a database that has trouble. */
const cachedMs = 1_000;

/**
 * @returns a check that the database is the one of this release, accepts writes, and responds over each pool; cached
 *   for a second, also if it fails
 */
export function createReadiness(server: Server, pools: Pool[]): () => Promise<void> {
  const checkSchema = schemaCheck();
  let cached: { atMs: number; result: Promise<void> } | undefined;
  const check = async () => {
    const [{ isReadOnly }] = await Promise.all([
      server.check((client) => checkSchema((statement) => client.unsafe(statement))),
      // Apart from the server, because a pool that is busy does not mean that the server is lost.
      withTimeout(Promise.all(pools.map((pool) => pool.check())), probeTimeoutMs),
    ]);
    if (isReadOnly) throw new Error('The database accepts no writes.');
  };
  return () => {
    const now = performance.now();
    if (!cached || now - cached.atMs >= cachedMs) cached = { atMs: now, result: check() };
    return cached.result;
  };
}
