import { sql } from 'drizzle-orm';
import { db } from '#db/client.ts';
import { HttpProblem } from './problems.ts';
import { respondAndLog } from './request-log.ts';
import { problemResponse } from './response.ts';

const ok = { status: 200, body: '{"status":"ok"}' };

/** The process runs and answers. */
export const live = async (request: Request): Promise<Response> => respondAndLog(request, 'health.live', ok);

/** The process can do its work: its database answers. */
export const ready = async (request: Request): Promise<Response> => {
  const startedAt = performance.now();
  try {
    await db().execute(sql`select 1`);
    return respondAndLog(request, 'health.ready', ok, startedAt);
  } catch (cause) {
    const unavailable = new HttpProblem('unavailable', { headers: { 'Retry-After': '1' } });
    return respondAndLog(request, 'health.ready', problemResponse(unavailable), startedAt, cause);
  }
};
