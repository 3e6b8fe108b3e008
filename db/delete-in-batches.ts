import { type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Database } from './client.ts';

const batchRows = 10_000;

/** Deletes the rows that match, a batch in each statement, so that a backlog of any size meets the statement timeout. */
export async function deleteInBatches(db: Database, table: PgTable, condition: SQL): Promise<void> {
  let deleted = batchRows;
  while (deleted >= batchRows) {
    const batch = sql`select ctid from ${table} where ${condition} limit ${batchRows}`;
    // The condition again, because partitions have equal `ctid`s.
    ({ count: deleted } = await db.execute(
      sql`delete from ${table} where ctid = any(array(${batch})) and ${condition}`,
    ));
  }
}
