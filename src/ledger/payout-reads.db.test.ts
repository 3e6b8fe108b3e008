import { sql as query } from 'drizzle-orm';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { openPool } from '#db/client.ts';
import { findByKey } from '#src/api/principal-queries.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { insertEntries, newCustomer, type RawEntry } from '#tools/testing/factories.ts';

const { db, url } = await testDatabase();
const at = new Date('2026-11-20T00:00:00Z');
const latest = Temporal.Instant.from('2026-11-10T00:00:00Z');

const delivery = (customerId: number, index: number, takesEffectAt: Temporal.Instant): RawEntry => ({
  customerId,
  kind: 'delivery',
  amountCents: 1n,
  takesEffectAt: new Date(takesEffectAt.epochMilliseconds),
  reference: String(index),
});

/** What PostgreSQL counts of one table and its indexes while one payout is read: rows, and how often they were looked at. */
async function readOf(table: string, apiKey: string): Promise<{ rows: number; looks: number }> {
  const { db: one, close } = openPool(url, { connectionsMax: 1 });
  try {
    await one.execute(query`begin`);
    await findByKey(one, 'payout', apiKey, at);
    const [read] = await one.execute<{ rows: number; looks: number }>(query`
      select sum(pg_stat_get_xact_tuples_returned(oid) * (kind = 'r')::int + pg_stat_get_xact_tuples_fetched(oid))::int as rows,
        sum(pg_stat_get_xact_numscans(oid))::int as looks
      from (
        select ${table}::regclass::oid, 'r' union all
        select indexrelid, 'i' from pg_index where indrelid = ${table}::regclass) t (oid, kind)`);
    return read ?? { rows: -1, looks: -1 };
  } finally {
    await close();
  }
}

test('getPayout: reads monthly totals only, for any number of entries', async () => {
  const counts: number[] = [];
  for (const length of [100, 30_000]) {
    const { id, apiKey } = await newCustomer(db);
    const entries = Array.from({ length }, (_, index) =>
      delivery(id, index, latest.subtract({ hours: 24 * (index % 300) })),
    );
    await insertEntries(db, entries);
    expect(await readOf('ledger_entries', apiKey)).toEqual({ rows: 0, looks: 0 });
    counts.push((await readOf('ledger_months', apiKey)).rows);
  }
  // A hundred days reach back four months, three hundred ten or eleven.
  expect(Math.max(...counts)).toBeLessThan(40);
  expect(Math.min(...counts)).toBeGreaterThan(0);
});

test("getPayout: reads the city's time zone once, for any number of months", async () => {
  const { id, apiKey } = await newCustomer(db);
  const entries = Array.from({ length: 41 }, (_, index) =>
    delivery(id, index, latest.subtract({ hours: 24 * 30 * index })),
  );
  await insertEntries(db, entries);
  expect((await readOf('cities', apiKey)).looks).toBe(1);
});
