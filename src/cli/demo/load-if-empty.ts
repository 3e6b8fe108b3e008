import { notInArray } from 'drizzle-orm';
import { db } from '#db/client.ts';
import { customers } from '#db/schema.ts';
import { cardProvider } from '#src/payments/stripe.ts';
import { settings } from '#src/settings.ts';
import { demoCustomers } from './customers.ts';
import { loadDemo } from './load.ts';

/**
 * Loads the demo into the database of this process's environment, which must be complete; import this only then.
 * @returns undefined, having done nothing, where the database has customers other than the demo's
 */
export async function loadDemoHere(): Promise<{ file: string; isNew: boolean } | undefined> {
  const others = await db()
    .select({ id: customers.id })
    .from(customers)
    .where(
      notInArray(
        customers.username,
        demoCustomers.map(({ username }) => username),
      ),
    )
    .limit(1);
  const { DATA_DIR: dataDir, publicUrl: baseUrl } = settings();
  if (others.length > 0) return undefined;
  return loadDemo({ db: db(), dataDir, baseUrl, provider: cardProvider });
}
