import { index, integer, pgTable, primaryKey, real, smallint, text } from 'drizzle-orm/pg-core';
import { bytes, createdAt, instant, serialId } from './columns.ts';
import { customerId } from './customers.ts';

/** Responses stored for `Idempotency-Key`; `status` is null while the first request is in flight. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    customerId: customerId(),
    key: text('key').notNull(),
    /** SHA-256 of operation, target, and body: the same key for anything else is refused. */
    requestHash: bytes('request_hash').notNull(),
    lockedUntil: instant('locked_until').notNull(),
    /** As `leased_by` of a card. */
    lockedBy: integer('locked_by'),
    status: smallint('status'),
    body: text('body'),
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.customerId, table.key] }), index().on(table.expiresAt)],
);

/** The requests with an API key of the last days, for the customer. */
export const apiRequests = pgTable(
  'api_requests',
  {
    id: serialId(),
    customerId: customerId(),
    at: instant('at').notNull(),
    operation: text('operation').notNull(),
    status: integer('status').notNull(),
    elapsedMs: real('elapsed_ms').notNull(),
    requestId: text('request_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.customerId, table.id] }), index().on(table.at)],
);

/** Failed authentications, and with `QUOTA_STORE=database` requests and sign-ins, counted across all instances. */
export const limitCounts = pgTable('limit_counts', {
  key: text('key').primaryKey(),
  points: integer('points').notNull().default(0),
  expire: instant('expire'),
});
