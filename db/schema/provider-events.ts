import { index, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.ts';

/** Webhook events already handled: the provider sends some of them twice. */
export const providerEvents = pgTable(
  'provider_events',
  {
    id: text('id').primaryKey(),
    type: text('type').notNull(),
    createdAt: createdAt(),
  },
  (table) => [index().on(table.createdAt)],
);
