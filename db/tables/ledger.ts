import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  date,
  foreignKey,
  index,
  numeric,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { createdAt, instant, serialId } from './columns.ts';
import { customerId } from './customers.ts';

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
