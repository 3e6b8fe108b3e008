import { sql } from 'drizzle-orm';
import { db } from '#db/client.ts';
import type { Handler } from './endpoint.ts';
import { HttpProblem } from './problems.ts';
import { answered } from './request-log.ts';
import { problemAnswer } from './response.ts';

const ok = { status: 200, body: '{"status":"ok"}' };

/** The process runs and answers. */
export const live: Handler = async (request) => answered(request, 'health.live', ok);

/** The process can do its work: its database answers. */
export const ready: Handler = async (request) => {
  const startedAt = performance.now();
  try {
    await db().execute(sql`select 1`);
    return answered(request, 'health.ready', ok, startedAt);
  } catch (cause) {
    const unavailable = new HttpProblem('unavailable', { headers: { 'Retry-After': '1' } });
    return answered(request, 'health.ready', problemAnswer(unavailable), startedAt, cause);
  }
};
