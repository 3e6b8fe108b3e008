import { sql } from 'drizzle-orm';
import { bigint, index, jsonb, pgTable, pgView, primaryKey, text } from 'drizzle-orm/pg-core';
import { channels, instant, serialId } from './columns.ts';
import { customerId } from './customers.ts';

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
