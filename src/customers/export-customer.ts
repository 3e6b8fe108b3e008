import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { getCustomerByUsername } from './get-customer.ts';

/** Tables and views with rows of a customer, and the columns that say nothing about it: hashes, locks, and the like. */
const exported: Record<string, string[]> = {
  sessions: ['id_hash'],
  secrets: ['hash'],
  cards: ['token_hash', 'removal_key', 'lease_until', 'leased_by', 'attempt', 'retries', 'next_attempt_at'],
  idempotency_keys: ['request_hash', 'locked_until', 'locked_by'],
  ledger_entries: [],
  ledger_months: [],
  api_requests: [],
  security_events: [],
  audit: [],
};

export type CustomerExport = { customer: object } & Record<string, object[] | object>;

/**
 * Everything that is stored about a customer, by table, with times in UTC.
 * @throws DomainError not_found
 */
export function exportCustomer(db: Database, username: string): Promise<CustomerExport> {
  return db.transaction((snapshot) => readTables(snapshot, username), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  });
}

async function readTables(db: Database, username: string): Promise<CustomerExport> {
  const { customer } = await getCustomerByUsername(db, username);
  const rowsOf = async (table: string, key: string, omitted: string[]) => {
    const rows = await db.execute<{ row: object }>(
      sql`select to_jsonb(t) - string_to_array(${omitted.join()}, ',') as row from ${sql.identifier(table)} t
        where ${sql.identifier(key)} = ${customer.id}`,
    );
    return rows.map(({ row }) => row);
  };
  const [row = {}] = await rowsOf('customers', 'id', []);
  const document: CustomerExport = { customer: row };
  for (const [table, omitted] of Object.entries(exported)) {
    document[table] = await rowsOf(table, 'customer_id', omitted);
  }
  return document;
}
