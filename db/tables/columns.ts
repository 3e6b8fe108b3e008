import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { bigserial, customType, type PgTable, timestamp } from 'drizzle-orm/pg-core';

export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
export const createdAt = () => instant('created_at').notNull().defaultNow();
export const updatedAt = () =>
  instant('updated_at')
    .notNull()
    .defaultNow()
    .$onUpdate(() => new Date());
export const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });
export const serialId = () => bigserial('id', { mode: 'number' }).notNull();
/** How a change or an authentication came in. */
export const channels = ['api', 'dashboard', 'cli', 'provider', 'service'] as const;

export type ColumnValue = { name: SQL; value: SQL };

/** The given columns of a table, each by its name and with its value cast to its type; undefined ones are left out. */
export function columnValues<Table extends PgTable>(
  table: Table,
  values: Partial<Table['$inferInsert']>,
): ColumnValue[] {
  return Object.entries(getTableColumns(table)).flatMap(([key, column]) => {
    const value: unknown = Reflect.get(values, key);
    if (value === undefined) return [];
    const type = sql.raw(column.getSQLType());
    return [{ name: sql`${sql.identifier(column.name)}`, value: sql`${sql.param(value, column)}::${type}` }];
  });
}
