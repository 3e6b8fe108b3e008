import { sql } from 'drizzle-orm';
import { db } from '#db/client.ts';
import type { Handler } from './endpoint.ts';
import { HttpProblem } from './problem.ts';
import { requestIdOf } from './request-id.ts';
import { problemAnswer, toResponse } from './respond.ts';

/** The process runs and answers. */
export const live: Handler = async (request) =>
  toResponse(
    { status: 200, body: '{"status":"ok"}' },
    requestIdOf(request.headers),
    request.method === 'HEAD',
  );

/** The process can do its work: its database answers. */
export const ready: Handler = async (request) => {
  const answer = await db()
    .execute(sql`select 1`)
    .then(
      () => ({ status: 200, body: '{"status":"ok"}' }),
      (cause) => problemAnswer(new HttpProblem('unavailable', { headers: { 'Retry-After': '1' }, cause })),
    );
  return toResponse(answer, requestIdOf(request.headers), request.method === 'HEAD');
};
