import { sql } from 'drizzle-orm';
import type { Database } from './client.ts';

const known = new WeakMap<Database, boolean>();

/** Whether the tables are distributed on Citus. */
export async function isDistributed(db: Database): Promise<boolean> {
  const found = known.get(db);
  if (found !== undefined) return found;
  const [row] = await db.execute<{ isFound: boolean }>(
    sql`select exists (select from pg_extension where extname = 'citus') as "isFound"`,
  );
  const isFound = row?.isFound ?? false;
  known.set(db, isFound);
  return isFound;
}
