import { index, integer, pgTable } from 'drizzle-orm/pg-core';
import { bytes, createdAt, instant } from './columns.ts';
import { customers } from './customers.ts';
import { secrets } from './secrets.ts';

/** Browser sessions. The cookie holds a random id, this table its SHA-256. */
export const sessions = pgTable(
  'sessions',
  {
    idHash: bytes('id_hash').primaryKey(),
    customerId: integer('customer_id')
      .notNull()
      .references(() => customers.id),
    /** The secret that opened the session: revoking it ends the session. */
    secretId: integer('secret_id')
      .notNull()
      .references(() => secrets.id),
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [index().on(table.expiresAt)],
);
