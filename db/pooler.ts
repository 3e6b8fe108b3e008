import { sql } from 'drizzle-orm';
import { SettingsError } from '#src/settings.ts';
import type { Pool } from './client.ts';

/** Sent at once, so that a pooler spreads them over its connections. */
const samples = 50;

const needsSetting = (setting: string) =>
  new SettingsError(
    `${setting} leads to a connection pooler. Set DATABASE_POOLER=transaction, or use the address of PostgreSQL itself: through a pooler, prepared statements give wrong results.`,
  );

type Row = { pid: number; timeoutMs: number; role: string };

/**
 * Checks over a pool for requests that each gets its own rows, and a statement timeout, whatever is in between.
 * Decision: docs/decisions/0032-connection-poolers.md.
 * @param statementTimeoutMs the highest that is allowed
 * @param setting where the URL of the pool comes from
 * @throws SettingsError
 */
export async function refuseWrongPooler(
  { db }: Pool,
  { isPooled, statementTimeoutMs }: { isPooled: boolean; statementTimeoutMs: number },
  setting = 'DATABASE_URL',
): Promise<void> {
  const rows = await db
    .execute<Row>(sql`select pg_backend_pid() as pid, session_user as role,
      (select setting::int from pg_settings where name = 'statement_timeout') as "timeoutMs"`)
    .catch((error: Error) => {
      throw !isPooled && /unsupported startup parameter/.test(String(error.cause))
        ? needsSetting(setting)
        : error;
    });
  const [row] = rows;
  // A pooler makes up the process ID that it gives to its clients, because they cancel statements through it.
  if (!isPooled && rows.state.pid !== row?.pid) throw needsSetting(setting);
  if (!row || row.timeoutMs === 0 || row.timeoutMs > statementTimeoutMs) {
    throw new SettingsError(
      `Through a connection pooler, the role needs a statement timeout of its own. Run ALTER ROLE ${row?.role} SET statement_timeout = '${statementTimeoutMs}ms', and let the pooler reconnect.`,
    );
  }
  const results = await Promise.all(
    Array.from({ length: samples }, async (_, sent) => {
      const [sample] = await db.execute<{ received: number }>(sql`select ${sent}::int as received`);
      return sample?.received === sent;
    }),
  );
  if (results.includes(false)) throw needsSetting(setting);
}
