import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

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
