import { sql as query } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { connect } from '#db/client.ts';
import { findByKey } from '#db/queries/principal.ts';
import { testDatabase } from '#db/testing.ts';
import { newCustomer } from './testing.ts';

const { db, sql, url } = await testDatabase();
const noFailures = { keyCounter: '', keyMost: 1, addressCounter: '', addressMost: 1 };
const at = new Date('2026-11-20T00:00:00Z');

/** Rows of a table that one payout reads, as PostgreSQL counts them within a transaction. */
async function rowsReadOf(table: string, apiKey: string): Promise<number> {
  const { db: one, close } = connect(url, 1);
  try {
    await one.execute(query`begin`);
    await findByKey(one, 'payout', apiKey, at, noFailures);
    const [row] = await one.execute<{ n: number }>(query`
      select (pg_stat_get_xact_tuples_returned(t) + pg_stat_get_xact_tuples_fetched(t) + coalesce((
        select sum(pg_stat_get_xact_tuples_fetched(indexrelid)) from pg_index where indrelid = t), 0))::int as n
      from (select ${table}::regclass::oid as t) one`);
    return row?.n ?? -1;
  } finally {
    await close();
  }
}

test('a payout reads the months of a customer and no entry, however many there are', async () => {
  const counts: number[] = [];
  for (const length of [100, 30_000]) {
    const { id, apiKey } = await newCustomer(db);
    await sql`INSERT INTO ledger_entries (customer_id, kind, amount_cents, takes_effect_at, description, reference)
      SELECT ${id}, 'delivery', 1, '2026-11-10T00:00:00Z'::timestamptz - make_interval(days => n % 300), '', n::text
      FROM generate_series(1, ${length}::integer) n`;
    expect(await rowsReadOf('ledger_entries', apiKey)).toBe(0);
    counts.push(await rowsReadOf('ledger_months', apiKey));
  }
  // A hundred days reach back four months, three hundred ten or eleven.
  expect(Math.max(...counts)).toBeLessThan(40);
  expect(Math.min(...counts)).toBeGreaterThan(0);
});
