import { type Database, openPool } from '#db/client.ts';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { type OwnService, startOwnService } from '#e2e/support/own-service.ts';

export type FuzzedService = Pick<OwnService, 'url'> & { db: Database; stop: () => Promise<void> };

const unlimited = '100000000';

/** A service of its own without rate limits, so that every request reaches its operation. */
export async function startFuzzedService(): Promise<FuzzedService> {
  const service = await startOwnService({
    LIMIT_REQUESTS_PER_MINUTE: unlimited,
    LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: unlimited,
    LIMIT_FAILED_AUTH_PER_ADDRESS: unlimited,
    LIMIT_DECLINES_PER_HOUR: unlimited,
  });
  const database = await openEmbeddedDatabase(service.dataDir);
  const connection = openPool(database.appUrl);
  const stop = async () => {
    await connection.close();
    await database.release();
    await service.stop();
  };
  return { url: service.url, db: connection.db, stop };
}
