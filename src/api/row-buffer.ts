import { getTableColumns, getTableName, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';

const storeEveryMs = 1_000;
/** For each second. More than the quota of a customer, so that a burst of one does not leave out others. */
const rowsMax = 1_000;

/**
 * Collects rows of a table and stores them together, after the responses. A crash loses those of the last second, and rows
 * beyond 1,000 in a second are left out.
 */
export function createRowBuffer<Table extends PgTable>(
  db: Database,
  log: Pick<Logger, 'warn'>,
  table: Table,
) {
  type Row = Table['$inferInsert'];
  let waiting: Row[] = [];
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> = Promise.resolve();
  const store = (rows: Row[]): Promise<void> =>
    insertRows(db, table, rows).catch((error: unknown) =>
      log.warn({ error }, `Rows of ${getTableName(table)} could not be stored.`),
    );
  /** Resolves when all rows added so far have been stored. */
  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    // Without the results, each of which would hold the ones before.
    if (waiting.length > 0) storing = Promise.all([storing, store(waiting)]).then(() => {});
    waiting = [];
    await storing;
  };
  return {
    add(row: Row): void {
      if (waiting.length >= rowsMax) return;
      waiting.push(row);
      timer ??= setTimeout(() => void flush(), storeEveryMs).unref();
    },
    flush,
  };
}

/** With one parameter, so that a batch of any size is the same prepared statement and takes no time to build. */
async function insertRows(db: Database, table: PgTable, rows: Record<string, unknown>[]): Promise<void> {
  const { id: _generated, ...columns } = getTableColumns(table);
  const names = sql.join(
    Object.values(columns).map(({ name }) => sql.identifier(name)),
    sql`, `,
  );
  const named = rows.map((row) =>
    Object.fromEntries(Object.entries(columns).map(([key, { name }]) => [name, row[key]])),
  );
  await db.execute(sql`
    insert into ${table} (${names})
    select ${names} from json_populate_recordset(null::${table}, ${JSON.stringify(named)}::text::json)`);
}
