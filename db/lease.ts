import { type Column, type SQL, sql } from 'drizzle-orm';

/**
 * Whether a lease has ended by the database's clock. One that ends more than 15 minutes from now has too, because the longest lease
 * is 10 minutes, so the clock must have been set back.
 * @param until the column with its end
 */
export const hasLeaseEnded = (until: Column): SQL =>
  sql`(${until} <= now() or ${until} > now() + interval '15 minutes')`;
