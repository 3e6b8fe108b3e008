import type { customers } from '#db/schema/index.ts';

export type Customer = typeof customers.$inferSelect;
