import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { test as base, useDatabase } from '../support/fixtures.ts';
import { type OwnService, startOwnService } from '../support/own-service.ts';

type SteadyService = OwnService & { dataDir: string };

const clock = pathToFileURL(path.join(import.meta.dirname, '..', 'support', 'clock-from.ts')).href;

/**
 * Tests whose service, with a database and the demo of its own, begins at noon of one and the same day: what it shows is
 * the same on whatever day they run. The day is ahead of the database's, which would call sessions from the past over.
 */
export const test = base.extend<object, { service: SteadyService }>({
  service: [
    async ({ browserName: _browserName }, use) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'steady-service-'));
      // Root's PostgreSQL runs as another user, who must be able to get there.
      await chmod(folder, 0o711);
      const dataDir = path.join(folder, 'data');
      const service = await startOwnService({
        DATA_DIR: dataDir,
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${clock}`,
        CLOCK_FROM: '2041-05-16T12:00:00-07:00',
      });
      await use({ ...service, dataDir });
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  db: [({ service }, use) => useDatabase(service.dataDir, use), { scope: 'worker' }],
  baseURL: async ({ service }, use) => use(service.url),
});
