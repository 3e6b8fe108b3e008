import { boolean, index, integer, pgTable, serial, text } from 'drizzle-orm/pg-core';
import { cities } from './cities.ts';
import { createdAt, updatedAt } from './columns.ts';

export const customers = pgTable(
  'customers',
  {
    id: serial('id').primaryKey(),
    cityId: integer('city_id')
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
    /** The payment provider's id of this customer, once it has one. */
    providerCustomerId: text('provider_customer_id').unique(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index().on(table.cityId)],
);
