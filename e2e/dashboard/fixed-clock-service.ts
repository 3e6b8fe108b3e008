import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkout } from '#tools/checkout.ts';
import { test as base, withDatabase } from '../support/fixtures.ts';
import { type OwnService, startOwnService } from '../support/own-service.ts';

const clock = pathToFileURL(path.join(checkout, 'e2e', 'support', 'clock-from.ts')).href;

/**
 * Tests of a service with its own database and demo whose clock starts at noon of a fixed day, so that pages look the
 * same on every day. The day is in the future because the database's clock would treat sessions from the past as expired.
 */
export const test = base.extend<object, { service: OwnService }>({
  service: [
    async ({ browserName: _browserName }, use) => {
      const service = await startOwnService({
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${clock}`,
        CLOCK_FROM: '2041-05-16T12:00:00-07:00',
      });
      await use(service);
      await service.stop();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  db: [({ service }, use) => withDatabase(service.dataDir, use), { scope: 'worker' }],
  baseURL: async ({ service }, use) => use(service.url),
});
