import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  check,
  customType,
  date,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  pgView,
  primaryKey,
  real,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';

/*
 * Every row that belongs to a customer is keyed by `customer_id`, so that its table can be partitioned or distributed by
 * customer. `customers`, `cities`, `provider_events`, `limit_counts`, `payment_mode`, and `reconciliations` are small or
 * looked up before the customer is known: reference tables.
 */

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
const createdAt = () => instant('created_at').notNull().defaultNow();
const updatedAt = () =>
  instant('updated_at')
    .notNull()
    .defaultNow()
    .$onUpdate(() => new Date());
const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });
const serialId = () => bigserial('id', { mode: 'number' }).notNull();
/** How a change or an authentication came in. */
const channels = ['api', 'dashboard', 'cli', 'provider', 'service'] as const;
const customerId = () =>
  bigint('customer_id', { mode: 'number' })
    .notNull()
    .references(() => customers.id);

/**
 * Where the service delivers, and at which price. Prices, polygon, and coordinates are the JSON and decimal texts of the
 * API's responses, checked and written once by the import, so that no read has to build them.
 */
export const cities = pgTable('cities', {
  id: serialId().primaryKey(),
  slug: text('slug').notNull().unique(),
  name: text('name').notNull(),
  countyName: text('county_name').notNull(),
  timezone: text('timezone').notNull(),
  /**
   * When each month from January 1970 to December 2099 starts, where PostgreSQL's time zone data differ from the
   * service's; else null.
   */
  monthStarts: instant('month_starts').array(),
  basePriceCents: integer('base_price_cents').notNull(),
  /** `{"items":[{"mile":3,"amount":0},…]}`, by rising mile; amounts in dollars. */
  deliveryPrices: text('delivery_prices').notNull(),
  latitude: text('latitude').notNull(),
  longitude: text('longitude').notNull(),
  /** `[[latitude,longitude],…]`, the last pair repeating the first. */
  polygonPoints: text('polygon_points').notNull(),
  returnRideLimitOnMile: doublePrecision('return_ride_limit_on_mile').notNull(),
  isActive: boolean('is_active').notNull(),
  isDischargeSingleRideActive: boolean('is_discharge_single_ride_active').notNull(),
  isFlatAppActive: boolean('is_flat_app_active').notNull(),
  isPlacesAppActive: boolean('is_places_app_active').notNull(),
  isDeliveryAppActive: boolean('is_delivery_app_active').notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});

export const customers = pgTable(
  'customers',
  {
    id: serialId().primaryKey(),
    cityId: bigint('city_id', { mode: 'number' })
      .notNull()
      .references(() => cities.id),
    username: text('username').notNull().unique(),
    email: text('email').notNull(),
    status: text('status', { enum: ['Active', 'Inactive', 'Suspended'] })
      .notNull()
      .default('Active'),
    isEmailConfirmed: boolean('is_email_confirmed').notNull().default(false),
    /** The address of the last browser sign-in. */
    clientIp: text('client_ip').notNull().default('127.0.0.1'),
    apiKey: text('api_key').notNull().unique(),
    firstName: text('first_name').notNull(),
    lastName: text('last_name').notNull(),
    name: text('name').notNull(),
    countryCode: text('country_code').notNull(),
    phone: text('phone').notNull(),
    roles: text('roles').array().notNull().default(['ROLE_CUSTOMER']),
    profileType: text('profile_type', { enum: ['Business', 'Personal'] })
      .notNull()
      .default('Business'),
    /** When the personal data was erased. The provider's customer is deleted later, if the provider is unreachable. */
    erasedAt: instant('erased_at'),
    /** The payment provider's id of this customer, once it has one. */
    providerCustomerId: text('provider_customer_id').unique(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index().on(table.cityId),
    index('customers_erased').on(table.id).where(sql`${table.erasedAt} is not null`),
  ],
);

/** API secrets. Only the SHA-256 is stored: a secret is random, so a slow hash would add nothing. */
export const secrets = pgTable(
  'secrets',
  {
    id: serialId(),
    customerId: customerId(),
    hash: bytes('hash').notNull(),
    createdAt: createdAt(),
    /** Set when a rotation leaves the secret an overlap period. */
    expiresAt: instant('expires_at'),
    revokedAt: instant('revoked_at'),
    lastUsedAt: instant('last_used_at'),
  },
  (table) => [primaryKey({ columns: [table.customerId, table.id] })],
);

/** Browser sessions. The cookie holds the customer and a random id, this table the id's SHA-256. */
export const sessions = pgTable(
  'sessions',
  {
    customerId: customerId(),
    idHash: bytes('id_hash').notNull(),
    /** The secret that opened the session: revoking it ends the session. */
    secretId: bigint('secret_id', { mode: 'number' }).notNull(),
    /** Browser and operating system, such as `Chrome on Windows`. */
    device: text('device').notNull().default('Unknown device'),
    createdAt: createdAt(),
    /** To the minute. */
    lastUsedAt: instant('last_used_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.customerId, table.idHash] }),
    foreignKey({
      name: 'sessions_secret',
      columns: [table.customerId, table.secretId],
      foreignColumns: [secrets.customerId, secrets.id],
    }),
    index().on(table.expiresAt),
  ],
);

/**
 * A card, and the operation that adds or removes it: one row for a customer and a token.
 * pending -> active | failed | authenticating;  authenticating -> active | failed;  active -> removing -> removed;
 * refused after it was attached: pending | authenticating -> removing -> failed;  gone at the provider: active -> removed;
 * sent again by the client: failed (abandoned) -> pending.
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
    index('cards_of_customer').on(table.customerId, table.id).where(sql`${table.state} = 'active'`),
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

/** What customers owe: append-only, in cents; payments and credits are negative. Corrections are reversing entries. */
export const ledgerEntries = pgTable(
  'ledger_entries',
  {
    id: serialId(),
    customerId: customerId(),
    kind: text('kind', { enum: ['delivery', 'adjustment', 'credit', 'payment'] }).notNull(),
    amountCents: bigint('amount_cents', { mode: 'bigint' }).notNull(),
    takesEffectAt: instant('takes_effect_at').notNull(),
    description: text('description').notNull(),
    reference: text('reference').notNull(),
    /** The entry that this one reverses; an entry is reversed at most once. */
    reversesId: bigint('reverses_id', { mode: 'number' }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.customerId, table.id] }),
    foreignKey({
      name: 'ledger_entries_reversed',
      columns: [table.customerId, table.reversesId],
      foreignColumns: [table.customerId, table.id],
    }),
    unique('ledger_entries_reference').on(table.customerId, table.reference),
    index('ledger_entries_by_time').on(table.customerId, table.takesEffectAt, table.id),
    // Partial: few entries are reversals, and the others should not pay for the index.
    uniqueIndex('ledger_entries_reverses')
      .on(table.customerId, table.reversesId)
      .where(sql`${table.reversesId} is not null`),
    /** A reversing entry has the kind of the reversed entry and the opposite sign. */
    check(
      'ledger_entries_sign',
      sql`${table.reversesId} is not null or ${table.kind} = 'adjustment'
        or (${table.kind} = 'delivery' and ${table.amountCents} >= 0)
        or (${table.kind} in ('credit', 'payment') and ${table.amountCents} <= 0)`,
    ),
  ],
);

/**
 * The entries summed by customer and by month of the customer's city, in the statement that adds the entries: the payout
 * reads these and not the entries.
 */
export const ledgerMonths = pgTable(
  'ledger_months',
  {
    customerId: customerId(),
    /** The first day of the month, in the city's time zone. */
    month: date('month', { mode: 'string' }).notNull(),
    amountCents: numeric('amount_cents', { precision: 40, scale: 0 }).notNull(),
    entries: bigint('entries', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.customerId, table.month] })],
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

/**
 * Refused authentications of known keys, and lockouts. Those of clients that are blocked or have no known key are only
 * logged, so that they write no rows; what succeeded is in the audit.
 */
export const securityEvents = pgTable(
  'security_events',
  {
    id: serialId(),
    customerId: customerId(),
    at: instant('at').notNull().defaultNow(),
    event: text('event').notNull(),
    /** The problem code of the response. */
    reason: text('reason'),
    /** The start of the API key. */
    keyPrefix: text('key_prefix'),
    address: text('address').notNull(),
    channel: text('channel', { enum: channels }).notNull(),
    requestId: text('request_id'),
  },
  (table) => [primaryKey({ columns: [table.customerId, table.id] }), index().on(table.at)],
);

/** Who changed what: append-only. Secrets, tokens, and card numbers are not in it. Read and written through `audit`. */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: serialId(),
    at: instant('at').notNull().defaultNow(),
    /** A support person (`operator:anna`), `customer`, the payment provider, or the service. */
    actor: text('actor').notNull(),
    /** `customer.created`, `secret.rotated`, `card.removed`, … */
    action: text('action').notNull(),
    /** 0 for what belongs to no customer, such as a city: part of the key, so not null. */
    customerId: bigint('customer_id', { mode: 'number' }).notNull(),
    /** A slug or a reference; null for the customer. */
    subject: text('subject'),
    /** Without the personal values. */
    before: jsonb('before'),
    after: jsonb('after'),
    /** The request that made the change, if one did. */
    requestId: text('request_id'),
    channel: text('channel', { enum: channels }).notNull().default('service'),
  },
  (table) => [primaryKey({ columns: [table.customerId, table.id] }), index().on(table.id)],
);

/** What the audit says about a person: apart, so that it can be erased. */
export const auditPersonal = pgTable(
  'audit_personal',
  {
    customerId: customerId(),
    auditId: bigint('audit_id', { mode: 'number' }).notNull(),
    at: instant('at').notNull().defaultNow(),
    before: jsonb('before'),
    after: jsonb('after'),
    /** Where the request came from. */
    address: text('address'),
  },
  (table) => [
    primaryKey({ columns: [table.customerId, table.auditId] }),
    index('audit_personal_addresses').on(table.at).where(sql`${table.address} is not null`),
  ],
);

/** The audit with what is personal, until it is erased. Inserts are split by `insert_audit`. */
export const audit = pgView('audit', {
  id: bigint('id', { mode: 'number' }).notNull(),
  at: instant('at').notNull(),
  /** As in `audit_entries`, but `customer:acme` for a customer. */
  actor: text('actor').notNull(),
  action: text('action').notNull(),
  customerId: bigint('customer_id', { mode: 'number' }).notNull(),
  /** A slug, a username, or a reference. */
  subject: text('subject').notNull(),
  before: jsonb('before'),
  after: jsonb('after'),
  requestId: text('request_id'),
  channel: text('channel', { enum: channels }).notNull(),
  address: text('address'),
}).as(sql`
  select e.id, e.at, case e.actor when 'customer' then 'customer:' || c.username else e.actor end as actor, e.action,
    e.customer_id, coalesce(e.subject, c.username) as subject,
    coalesce(p.before || e.before, e.before, p.before) as before,
    coalesce(p.after || e.after, e.after, p.after) as after, e.request_id, e.channel, p.address
  from audit_entries e
    left join customers c on c.id = e.customer_id
    left join audit_personal p on p.customer_id = e.customer_id and p.audit_id = e.id`);

/** Counted failures, declines, and new cards of all instances: the store of rate-limiter-flexible. */
export const limitCounts = pgTable('limit_counts', {
  key: text('key').primaryKey(),
  points: integer('points').notNull().default(0),
  expire: instant('expire'),
});
