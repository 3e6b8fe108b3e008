import type { Database } from './client.ts';

const known = new WeakMap<Database, boolean>();

/** Whether the tables are distributed on Citus. */
export async function isDistributed(db: Database): Promise<boolean> {
  const found = known.get(db);
  if (found !== undefined) return found;
  const isFound = await hasDistributedTables((statement) => db.execute(statement));
  known.set(db, isFound);
  return isFound;
}

/** Asks the database, every time. @param run a statement without parameters */
export async function hasDistributedTables(
  run: (statement: string) => Promise<readonly unknown[]>,
): Promise<boolean> {
  const hasCitus = await run("select from pg_extension where extname = 'citus'");
  if (hasCitus.length === 0) return false;
  const found = await run("select from pg_dist_partition where logicalrelid = 'ledger_entries'::regclass");
  return found.length > 0;
}
