import type { cities } from '#db/schema/index.ts';

export type City = typeof cities.$inferSelect;
