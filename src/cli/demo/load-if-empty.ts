import { notInArray } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { customers } from '#db/schema.ts';
import type { CardProvider } from '#src/payments/provider.ts';
import type { Settings } from '#src/settings.ts';
import { demoCustomers } from './customers.ts';
import { loadDemo } from './load.ts';

type DemoServices = { db: Database; provider: CardProvider; settings: Settings };

/**
 * Loads the demo unless the database has other customers.
 * @returns undefined if it has
 */
export async function loadDemoIfEmpty({
  db,
  provider,
  settings,
}: DemoServices): Promise<{ file: string; isNew: boolean } | undefined> {
  const others = await db
    .select({ id: customers.id })
    .from(customers)
    .where(
      notInArray(
        customers.username,
        demoCustomers.map(({ username }) => username),
      ),
    )
    .limit(1);
  const { DATA_DIR: dataDir, publicUrl: baseUrl } = settings;
  if (others.length > 0) return undefined;
  return loadDemo({ db, dataDir, baseUrl, provider });
}
