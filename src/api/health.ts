import { sql } from 'drizzle-orm';
import { HttpProblem } from './problems.ts';
import { respondAndLog } from './request-log.ts';
import { services } from './services.ts';

const ok = { status: 200, body: '{"status":"ok"}' };

export const live = async (request: Request): Promise<Response> => respondAndLog(request, 'health.live', ok);

/** Also true of every transaction on a standby: https://www.postgresql.org/docs/current/hot-standby.html */
const isReadOnly = sql`select current_setting('transaction_read_only')::boolean as "isReadOnly"`;

/** Ready if the service is not stopping, and the database responds on both pools and accepts writes. */
export const ready = async (request: Request): Promise<Response> => {
  const startedAt = performance.now();
  const { db, reads, settings, stopping } = services();
  try {
    if (stopping.signal.aborted) throw new Error('The service is stopping.');
    const [[server]] = await Promise.all([
      db.execute<{ isReadOnly: boolean }>(isReadOnly),
      reads.execute(sql`select 1`),
    ]);
    if (server?.isReadOnly !== false) throw new Error('The database accepts no writes.');
    const body = JSON.stringify({ status: 'ok', mode: settings.mode });
    return respondAndLog(request, 'health.ready', { status: 200, body }, startedAt);
  } catch (cause) {
    const unavailable = new HttpProblem('unavailable', { cause });
    return respondAndLog(request, 'health.ready', unavailable, startedAt);
  }
};
