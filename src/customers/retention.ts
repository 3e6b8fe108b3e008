import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { daysAgo, deleteInBatches } from '#db/delete-in-batches.ts';
import { oneRow } from '#db/one-row.ts';
import { cards } from '#db/schema.ts';

const dayMs = 24 * 3_600_000;

/**
 * Deletes the client addresses of the audit, and those of last sign-ins that it no longer has, in batches, so that a backlog
 * of any size meets the statement timeout.
 */
export async function deleteOldAddresses(db: Database, days: number, rowsPerBatch = 10_000): Promise<void> {
  const oldest = new Date(Date.now() - days * dayMs).toISOString();
  for (let after = '-infinity'; ; ) {
    // A batch is a period, because the role cannot read the IDs of rows.
    const { last } = await oneRow(
      db.execute<{ last: string | null }>(sql`
      select max(at)::text as last from (
        select at from audit_personal where address is not null and at > ${after}::timestamptz and at < ${oldest}::timestamptz
        order by at limit ${rowsPerBatch}) b`),
    );
    if (last === null) return;
    await deleteAddresses(db, sql`at > ${after}::timestamptz and at <= ${last}::timestamptz`, oldest);
    after = last;
  }
}

/** Several statements, because Citus does not let one change tables of both kinds. */
async function deleteAddresses(db: Database, isOld: SQL, oldest: string): Promise<void> {
  const lastUsed = await db.execute<{ id: string; address: string }>(sql`
    select c.id, c.client_ip as address
    from (select distinct customer_id from audit_personal where address is not null and ${isOld}) old
      join customers c on c.id = old.customer_id
      left join audit_personal p
        on p.customer_id = old.customer_id and p.address = c.client_ip and p.at >= ${oldest}::timestamptz
    where c.client_ip <> '127.0.0.1' and p.customer_id is null`);
  await db.execute(sql`
    update customers c set client_ip = '127.0.0.1'
    from json_to_recordset(${JSON.stringify(lastUsed)}::text::json) as t (id bigint, address text)
    where c.id = t.id and c.client_ip = t.address`);
  // Last, so that the addresses of customers are found again after a failure.
  await db.execute(sql`update audit_personal set address = null where address is not null and ${isOld}`);
}

/** Deletes cards that were not added. Their tokens cannot be used again at the provider. */
export function deleteOldFailedCards(db: Database, days: number): Promise<void> {
  const isOld = sql`state = 'failed' and updated_at < ${daysAgo(days)}`;
  return deleteInBatches(db, cards, isOld);
}
