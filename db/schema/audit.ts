import { bigserial, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';
import { customers } from './customers.ts';

/** Who changed what: append-only. Secrets, tokens and card numbers never come here. */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    at: instant('at').notNull().defaultNow(),
    /** A support person (`operator:anna`), the customer (`customer:acme`), the card-payment provider or the service itself. */
    actor: text('actor').notNull(),
    /** `customer.created`, `secret.rotated`, `card.removed`, … */
    action: text('action').notNull(),
    customerId: integer('customer_id').references(() => customers.id),
    /** What was changed, as people name it: a slug, a username, a reference. */
    subject: text('subject').notNull(),
    before: jsonb('before'),
    after: jsonb('after'),
  },
  (table) => [index().on(table.customerId, table.id)],
);
