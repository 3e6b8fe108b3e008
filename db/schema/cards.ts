import { sql } from 'drizzle-orm';
import {
  boolean,
  index,
  integer,
  pgTable,
  serial,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytes, createdAt, instant, updatedAt } from './columns.ts';
import { customers } from './customers.ts';

/**
 * A card, and the operation that adds or removes it: one row for a customer and a token.
 * pending -> active | failed;  active -> removing -> removed;  pending, refused late -> removing -> failed.
 */
export const cards = pgTable(
  'cards',
  {
    id: serial('id').primaryKey(),
    uuid: uuid('uuid').notNull().unique().defaultRandom(),
    customerId: integer('customer_id')
      .notNull()
      .references(() => customers.id),
    state: text('state', { enum: ['pending', 'active', 'failed', 'removing', 'removed'] }).notNull(),
    /** SHA-256 of the token: the token itself is never kept. */
    tokenHash: bytes('token_hash').notNull(),
    /** Whoever works on a pending or removing row holds it until then. */
    leaseUntil: instant('lease_until'),
    /** Counts new provider keys, each after a stored 5xx of the provider. */
    attempt: integer('attempt').notNull().default(0),
    /** How often the completer has tried to finish the row. At its maximum the row is stuck: support has to look at it. */
    retries: integer('retries').notNull().default(0),
    /** When the completer tries next. */
    nextAttemptAt: instant('next_attempt_at').notNull().defaultNow(),
    paymentMethodId: text('payment_method_id'),
    /** The provider's fingerprint of the card number. */
    fingerprint: text('fingerprint'),
    /** Why the card was not added; set, the row ends as failed. */
    failureCode: text('failure_code'),
    /** SHA-256 of the idempotency key that removed the card: the same request again is told the same. */
    removalKey: bytes('removal_key'),
    last4: text('last4'),
    brand: text('brand'),
    funding: text('funding'),
    addressCountry: text('address_country'),
    addressZip: text('address_zip'),
    isApplePayCard: boolean('is_apple_pay_card').notNull().default(false),
    expMonth: smallint('exp_month'),
    expYear: smallint('exp_year'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    // A token stands for one operation, until the card it made is removed.
    uniqueIndex('cards_operation')
      .on(table.customerId, table.tokenHash)
      .where(sql`not (${table.state} in ('removing', 'removed') and ${table.failureCode} is null)`),
    uniqueIndex('cards_one_per_number')
      .on(table.customerId, table.fingerprint)
      .where(sql`${table.state} = 'active'`),
    uniqueIndex('cards_payment_method').on(table.paymentMethodId),
    index('cards_unfinished')
      .on(table.state, table.nextAttemptAt)
      .where(sql`${table.state} in ('pending', 'removing')`),
    index('cards_of_customer').on(table.customerId, table.id).where(sql`${table.state} = 'active'`),
  ],
);
