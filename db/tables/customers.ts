import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  doublePrecision,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { bytes, createdAt, instant, serialId, updatedAt } from './columns.ts';

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
    providerCustomerId: text('provider_customer_id'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index().on(table.cityId),
    // Partial, because the columns of other unique indexes can't change while an entry of the customer is being added.
    uniqueIndex('customers_by_provider_customer')
      .on(table.providerCustomerId)
      .where(sql`${table.providerCustomerId} is not null`),
    index('customers_at_provider').on(table.id).where(sql`${table.providerCustomerId} is not null`),
    index('customers_erased').on(table.id).where(sql`${table.erasedAt} is not null`),
  ],
);

export const customerId = () =>
  bigint('customer_id', { mode: 'number' })
    .notNull()
    .references(() => customers.id);

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
