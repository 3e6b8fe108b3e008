import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '#tools/testing/database.ts';
import { migrate } from './migrate.ts';

describe('migrate', () => {
  it('can run concurrently and repeatedly', async () => {
    const { ownerUrl, url } = await testDatabase();
    await Promise.all([1, 2, 3, 4].map(() => migrate(ownerUrl, url)));
    const owner = postgres(ownerUrl, { max: 1, onnotice: () => {} });
    await owner`DROP SCHEMA drizzle CASCADE`;
    await owner`DROP SCHEMA public CASCADE`;
    await owner`CREATE SCHEMA public`;
    await Promise.all([1, 2, 3, 4].map(() => migrate(ownerUrl, url)));
    await owner.end();
    const { sql } = await testDatabase();
    expect(await sql`SELECT * FROM customers`).toEqual([]);
  });

  it.each(['ledger_entries', 'audit_entries', 'payment_mode'])(
    'lets the application only read and add to %s',
    async (table) => {
      const { sql } = await testDatabase();
      const [may] = await sql`
      SELECT has_table_privilege(${table}, 'SELECT') AS read, has_table_privilege(${table}, 'INSERT') AS add,
             has_table_privilege(${table}, 'UPDATE') AS update, has_table_privilege(${table}, 'DELETE') AS delete,
             has_table_privilege(${table}, 'TRUNCATE') AS truncate`;
      expect(may).toEqual({ read: true, add: true, update: false, delete: false, truncate: false });
    },
  );

  it('grants the application every other table and sequence', async () => {
    const { sql } = await testDatabase();
    const rows = await sql`
      SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND NOT (
        has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
        AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
      ORDER BY 1`;
    expect(rows.map((row) => row.relname)).toEqual(['audit_entries', 'ledger_entries', 'payment_mode']);
  });

  it('creates functions that depend on no search path', async () => {
    const { sql } = await testDatabase();
    const rows = await sql`
      SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosqlbody IS NULL
        AND NOT EXISTS (SELECT FROM unnest(proconfig) AS setting WHERE setting LIKE 'search_path=%')`;
    expect(rows.map((row) => row.proname)).toEqual([]);
  });
});
