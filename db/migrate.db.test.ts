import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '#tools/testing/database.ts';
import { migrate } from './migrate.ts';

describe('migrate', () => {
  it('can run concurrently and repeatedly', async () => {
    const { ownerUrl } = await testDatabase();
    await Promise.all([1, 2, 3, 4].map(() => migrate(ownerUrl)));
    const owner = postgres(ownerUrl, { max: 1, onnotice: () => {} });
    await owner`DROP SCHEMA drizzle CASCADE`;
    await owner`DROP SCHEMA public CASCADE`;
    await owner`CREATE SCHEMA public`;
    await Promise.all([1, 2, 3, 4].map(() => migrate(ownerUrl)));
    await owner.end();
    const { sql } = await testDatabase();
    expect(await sql`SELECT * FROM customers`).toEqual([]);
  });

  it('creates functions that depend on no search path', async () => {
    const { sql } = await testDatabase();
    const rows = await sql`
      SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosqlbody IS NULL
        AND NOT EXISTS (SELECT FROM unnest(proconfig) AS setting WHERE setting LIKE 'search_path=%')`;
    expect(rows.map((row) => row.proname)).toEqual([]);
  });
});
