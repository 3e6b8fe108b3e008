import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import type { Database } from './client.ts';

const batchRows = 10_000;

export const daysAgo = (days: number) => sql`now() - make_interval(days => ${days})`;

/** Deletes the rows that match, a batch in each statement, so that a backlog of any size meets the statement timeout. */
export async function deleteInBatches(db: Database, table: PgTable, condition: SQL): Promise<void> {
  const { primaryKeys, columns } = getTableConfig(table);
  const key = sql.join(primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary), sql`, `);
  let deleted = batchRows;
  while (deleted >= batchRows) {
    const batch = sql`select ${key} from ${table} where ${condition} limit ${batchRows}`;
    ({ count: deleted } = await db.execute(
      sql`delete from ${table} where (${key}) in (${batch}) and ${condition}`,
    ));
  }
}
