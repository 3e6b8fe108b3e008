import { type Column, type SQL, sql } from 'drizzle-orm';

/**
 * Whether a lease has ended by the database's clock. One that ends later than any can is over too: the clock was set back.
 * Twice its length, because a statement that waits sees leases that begin after it.
 * @param until the column with its end
 * @param seconds its length
 */
export const isOver = (until: Column, seconds: number): SQL =>
  sql`(${until} <= now() or ${until} > now() + make_interval(secs => ${2 * seconds}))`;
