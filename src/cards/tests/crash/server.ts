/** The API in its own process, which tests kill: the same handlers on a plain listener, with background jobs if BACKGROUND_JOBS is set. */
import { flushCompileCache } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { services } from '#src/api/services.ts';
import { startBackgroundJobs } from '#src/server/background-jobs.ts';
import { handleRequest } from './handle-request.ts';

// A killed process would not write it at its end.
flushCompileCache();
// Opening the connection and holding the instance's lock is start-up, and not a step of any request.
await services().db.execute('select 1');
while (services().instanceId() === null) await setTimeout(10);
if (process.env.BACKGROUND_JOBS) startBackgroundJobs(services());
serve(
  {
    hostname: '127.0.0.1',
    port: 0,
    fetch: handleRequest,
  },
  ({ port }) => process.send?.({ port }),
);
