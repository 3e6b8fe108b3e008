import { bigserial, customType, timestamp } from 'drizzle-orm/pg-core';

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
