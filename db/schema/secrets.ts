import { index, integer, pgTable, serial } from 'drizzle-orm/pg-core';
import { bytes, createdAt, instant } from './columns.ts';
import { customers } from './customers.ts';

/** API secrets. Only the SHA-256 is here: a secret is random, so a slow hash would buy nothing. */
export const secrets = pgTable(
  'secrets',
  {
    id: serial('id').primaryKey(),
    customerId: integer('customer_id')
      .notNull()
      .references(() => customers.id),
    hash: bytes('hash').notNull().unique(),
    createdAt: createdAt(),
    /** Set when a rotation leaves the secret an overlap. */
    expiresAt: instant('expires_at'),
    revokedAt: instant('revoked_at'),
    lastUsedAt: instant('last_used_at'),
  },
  (table) => [index().on(table.customerId)],
);
