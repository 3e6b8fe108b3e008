import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { deleteInBatches } from '#db/delete-in-batches.ts';
import { cards } from '#db/schema.ts';

/** Deletes the client addresses of the audit, and those of last sign-ins that it no longer has. */
export async function deleteOldAddresses(db: Database, days: number): Promise<void> {
  await db.execute(sql`
    with old as (
      update audit_personal set address = null
      where address is not null and at < now() - make_interval(days => ${days}) returning customer_id)
    update customers c set client_ip = '127.0.0.1'
    where id in (select customer_id from old) and not exists (
      select from audit_personal p
      where p.customer_id = c.id and p.address = c.client_ip and p.at >= now() - make_interval(days => ${days}))`);
}

/** Deletes cards that were not added. Their tokens cannot be used again at the provider. */
export function deleteOldFailedCards(db: Database, days: number): Promise<void> {
  const isOld = sql`state = 'failed' and updated_at < now() - make_interval(days => ${days})`;
  return deleteInBatches(db, cards, isOld);
}
