import { z } from 'zod';

/** The ID in a pager's link. Ignores invalid ones. */
export const pageCursor = z.coerce.number().int().positive().optional().catch(undefined);
