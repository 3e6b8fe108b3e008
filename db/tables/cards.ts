import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytes, createdAt, instant, serialId, updatedAt } from './columns.ts';
import { customerId } from './customers.ts';

/**
 * A card, and the operation that adds or removes it: one row for a customer and a token.
 * pending -> active | failed | authenticating;  authenticating -> active | failed;  active -> removing -> removed;
 * refused after it was attached: pending | authenticating -> removing -> failed;  gone at the provider: active -> removed;
 * sent again by the client: failed (abandoned) -> pending;  attached although it ended: removed | failed -> removing.
 */
export const cards = pgTable(
  'cards',
  {
    id: serialId(),
    uuid: uuid('uuid').notNull().defaultRandom(),
    customerId: customerId(),
    state: text('state', {
      enum: ['pending', 'authenticating', 'active', 'failed', 'removing', 'removed'],
    }).notNull(),
    /** SHA-256 of the token: the token itself is not stored. */
    tokenHash: bytes('token_hash').notNull(),
    /** Until when a worker has an unfinished row to itself. */
    leaseUntil: instant('lease_until'),
    /** The instance that has the lease, if it could take its lock: its death ends the lease too. */
    leasedBy: integer('leased_by'),
    /** Counts new idempotency keys at the provider, after outcomes that it stored for the old one. */
    attempt: integer('attempt').notNull().default(0),
    /** How often the completer has tried to finish the row. At its maximum the row is stuck: support has to look at it. */
    retries: integer('retries').notNull().default(0),
    /** When the completer retries. */
    nextAttemptAt: instant('next_attempt_at').notNull().defaultNow(),
    /** Why the provider failed last, for support: our kind of failure and the provider's code. */
    lastError: text('last_error'),
    paymentMethodId: text('payment_method_id'),
    /** Set when the bank wants the cardholder to authenticate. */
    setupIntentId: text('setup_intent_id'),
    /** The provider's customer that the card was attached to when it became active, or already before its addition. */
    providerCustomerId: text('provider_customer_id'),
    /** The card that this one replaced: the same number with an earlier expiry. */
    replacedUuid: uuid('replaced_uuid'),
    /** The provider's fingerprint of the card number. */
    fingerprint: text('fingerprint'),
    /** Why the card was not added; set, the row ends as failed. */
    failureCode: text('failure_code'),
    /** SHA-256 of the idempotency key that removed the card: the same request again gets the same response. */
    removalKey: bytes('removal_key'),
    last4: text('last4'),
    brand: text('brand'),
    funding: text('funding'),
    addressCountry: text('address_country'),
    addressZip: text('address_zip'),
    isApplePayCard: boolean('is_apple_pay_card').notNull().default(false),
    /** The bank's check of the postal code, as the provider reports it. */
    postalCodeCheck: text('postal_code_check', { enum: ['pass', 'fail', 'unavailable', 'unchecked'] }),
    expMonth: smallint('exp_month'),
    expYear: smallint('exp_year'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.customerId, table.id] }),
    unique('cards_uuid').on(table.customerId, table.uuid),
    // A token stands for one operation, until the card it made is removed.
    uniqueIndex('cards_operation')
      .on(table.customerId, table.tokenHash)
      .where(sql`not (${table.state} in ('removing', 'removed') and ${table.failureCode} is null)`),
    uniqueIndex('cards_one_per_number')
      .on(table.customerId, table.fingerprint)
      .where(sql`${table.state} = 'active'`),
    uniqueIndex('cards_payment_method').on(table.customerId, table.paymentMethodId),
    // The provider's events name the payment method and not the customer.
    index('cards_by_payment_method').on(table.paymentMethodId),
    index('cards_by_setup_intent').on(table.setupIntentId).where(sql`${table.state} = 'authenticating'`),
    index('cards_by_provider_customer').on(table.providerCustomerId).where(sql`${table.state} = 'active'`),
    index('cards_unfinished')
      .on(table.state, table.nextAttemptAt)
      .where(sql`${table.state} in ('pending', 'authenticating', 'removing')`),
    index('cards_failed').on(table.updatedAt).where(sql`${table.state} = 'failed'`),
  ],
);

/**
 * Webhook events already handled: the provider sends some of them twice. They are the provider account's, not a
 * customer's: their ids are known before the customer is.
 */
export const providerEvents = pgTable(
  'provider_events',
  {
    id: text('id').primaryKey(),
    type: text('type').notNull(),
    createdAt: createdAt(),
  },
  (table) => [index().on(table.createdAt)],
);

/** One row: whose cards the database holds, from the first start on. The provider knows the cards of one mode only. */
export const paymentMode = pgTable(
  'payment_mode',
  {
    id: boolean('id').primaryKey().default(true),
    mode: text('mode', { enum: ['live', 'test', 'sandbox'] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [check('payment_mode_one_row', sql`${table.id}`)],
);

/**
 * Comparisons of all cards with the provider: of all customers, like `provider_events`. One at most is open, on one
 * instance; another one that takes over its lease continues after the last customer.
 */
export const reconciliations = pgTable(
  'reconciliations',
  {
    id: serialId().primaryKey(),
    startedAt: instant('started_at').notNull().defaultNow(),
    finishedAt: instant('finished_at'),
    leaseUntil: instant('lease_until').notNull(),
    leasedBy: integer('leased_by'),
    afterCustomerId: bigint('after_customer_id', { mode: 'number' }).notNull().default(0),
    /** How many customers, and differences of each kind. */
    counts: jsonb('counts').$type<Record<string, number>>().notNull(),
  },
  (table) => [
    uniqueIndex('reconciliations_open')
      .on(sql`(${table.finishedAt} is null)`)
      .where(sql`${table.finishedAt} is null`),
    index().on(table.startedAt),
  ],
);
