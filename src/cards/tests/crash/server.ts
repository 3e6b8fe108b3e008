/** The API alone, as a process of its own that can be killed: the same handlers on a plain listener; housekeeping where it is asked for. */
import { serve } from '@hono/node-server';
import { db } from '#db/client.ts';
import { handleApiRequest } from '#src/api/router.ts';
import { startHousekeeping } from '#src/server/background-jobs.ts';

// The first query loads the types of the database: that is start-up, and not a step of any request.
await db().execute('select 1');
if (process.env.HOUSEKEEPING) startHousekeeping();
serve(
  {
    hostname: '127.0.0.1',
    port: 0,
    fetch: handleApiRequest,
  },
  ({ port }) => process.send?.({ port }),
);
