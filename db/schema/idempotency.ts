import { index, integer, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core';
import { bytes, createdAt, instant } from './columns.ts';
import { customers } from './customers.ts';

/** Answers kept for `Idempotency-Key`; `status` is null while the first request is under way. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    customerId: integer('customer_id')
      .notNull()
      .references(() => customers.id),
    key: text('key').notNull(),
    /** SHA-256 of operation, target and body: the same key for anything else is refused. */
    requestHash: bytes('request_hash').notNull(),
    lockedUntil: instant('locked_until').notNull(),
    status: smallint('status'),
    body: text('body'),
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.customerId, table.key] }), index().on(table.expiresAt)],
);
