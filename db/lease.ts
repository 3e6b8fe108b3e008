import { type Column, type SQL, sql } from 'drizzle-orm';

/**
 * Whether a lease has ended by the database's clock. One that ends in more than 15 minutes is over too: none is that long, so the
 * clock was set back.
 * @param until the column with its end
 */
export const isOver = (until: Column): SQL =>
  sql`(${until} <= now() or ${until} > now() + interval '15 minutes')`;
