import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { safeJson } from '#src/text.ts';
import { getCustomerByUsername } from './get-customer.ts';

/** Tables and views with rows of a customer. */
const exported = [
  ...['sessions', 'secrets', 'cards', 'idempotency_keys', 'ledger_entries', 'ledger_months'],
  ...['api_requests', 'security_events', 'audit'],
];

/** Columns of these that say nothing about the customer: hashes, locks, and the like. */
const omitted = [
  ...['id_hash', 'hash', 'token_hash', 'request_hash', 'locked_until', 'locked_by'],
  ...['removal_key', 'lease_until', 'leased_by', 'attempt', 'retries', 'next_attempt_at'],
];

/**
 * Everything that is stored about a customer, by table, with times in UTC. Read in pages, so that a ledger of any size needs
 * little memory.
 * @param write gets the pieces of a JSON document
 * @throws DomainError not_found
 */
export function exportCustomer(
  db: Database,
  username: string,
  write: (text: string) => Promise<void>,
): Promise<void> {
  const options = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const;
  return db.transaction(async (snapshot) => {
    const { customer } = await getCustomerByUsername(snapshot, username);
    const [row] = await snapshot.execute<{ row: object }>(
      sql`select to_jsonb(t) as row from customers t where id = ${customer.id}`,
    );
    await write(`{"customer": ${safeJson(row?.row, 0)}`);
    for (const table of exported) {
      await snapshot.execute(sql`
        declare exported cursor for
        select to_jsonb(t) - string_to_array(${omitted.join()}, ',') as row from ${sql.identifier(table)} t
        where customer_id = ${customer.id}`);
      await write(`,\n"${table}": [`);
      for (let separator = '\n'; ; separator = ',\n') {
        const rows = await snapshot.execute<{ row: object }>(sql`fetch 1000 from exported`);
        if (rows.length === 0) break;
        await write(separator + rows.map(({ row }) => safeJson(row, 0)).join(',\n'));
      }
      await snapshot.execute(sql`close exported`);
      await write(']');
    }
    await write('}\n');
  }, options);
}
