import { date, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/**
 * When the months of a zone begin, for zones whose clock PostgreSQL's own data tell otherwise than the service's: the
 * two are updated apart, and an entry must not fall into one month here and another there.
 */
export const zoneMonths = pgTable(
  'zone_months',
  {
    timezone: text('timezone').notNull(),
    /** The first day of the month. */
    month: date('month', { mode: 'string' }).notNull(),
    startsAt: instant('starts_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.timezone, table.month] })],
);
