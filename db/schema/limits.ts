import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** Counted failures and declines, for all instances at once: the store of rate-limiter-flexible. */
export const limitCounts = pgTable('limit_counts', {
  key: text('key').primaryKey(),
  points: integer('points').notNull().default(0),
  expire: instant('expire'),
});
