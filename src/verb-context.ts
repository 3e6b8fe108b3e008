import type { Database } from '#db/client.ts';

/** What a change works with: the database, and who makes it (`operator:anna`), for the audit. */
export type Context = { db: Database; actor: string };
