/** The API alone, as a process of its own that can be killed: the same handlers on a plain listener; housekeeping where it is asked for. */
import { serve } from '@hono/node-server';
import * as cardRoute from '#app/api/schedule/v1/payment/cards/[uuid]/route.ts';
import * as cardsRoute from '#app/api/schedule/v1/payment/cards/route.ts';
import { db } from '#db/client.ts';
import { startHousekeeping } from '#src/server/background-jobs.ts';

const handlers: Record<string, (request: Request) => Promise<Response>> = {
  POST: cardsRoute.POST,
  DELETE: cardRoute.DELETE,
};

// The first query loads the types of the database: that is start-up, and not a step of any request.
await db().execute('select 1');
if (process.env.HOUSEKEEPING) startHousekeeping();
serve(
  {
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => handlers[request.method]?.(request) ?? new Response(null, { status: 404 }),
  },
  ({ port }) => process.send?.({ port }),
);
