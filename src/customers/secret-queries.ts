import { eq, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { secrets } from '#db/schema/index.ts';

export async function touchSecret(db: Database, id: number): Promise<void> {
  await db.update(secrets).set({ lastUsedAt: sql`now()` }).where(eq(secrets.id, id));
}
