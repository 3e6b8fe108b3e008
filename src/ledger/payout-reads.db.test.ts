import { sql as query } from 'drizzle-orm';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { openPool } from '#db/client.ts';
import { createKeyReads } from '#src/api/key-reads.ts';
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

/** PostgreSQL's counters of rows and scans of one table and its indexes for one payout. */
async function readOf(table: string, apiKey: string): Promise<{ rows: number; scans: number }> {
  const { db: one, close } = openPool(url, { connectionsMax: 1 });
  try {
    await one.execute(query`begin`);
    await createKeyReads(one, () => at).find('payout', apiKey);
    const [read] = await one.execute<{ rows: number; scans: number }>(query`
      select sum(pg_stat_get_xact_tuples_returned(oid) * (kind = 'r')::int + pg_stat_get_xact_tuples_fetched(oid))::int as rows,
        sum(pg_stat_get_xact_numscans(oid))::int as scans
      from (
        select ${table}::regclass::oid, 'r' union all
        select indexrelid, 'i' from pg_index where indrelid = ${table}::regclass) t (oid, kind)`);
    return read ?? { rows: -1, scans: -1 };
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
    expect(await readOf('ledger_entries', apiKey)).toEqual({ rows: 0, scans: 0 });
    counts.push((await readOf('ledger_months', apiKey)).rows);
  }
  // 100 days span up to 5 months, and 300 days up to 11.
  expect(Math.max(...counts)).toBeLessThan(40);
  expect(Math.min(...counts)).toBeGreaterThan(0);
});

test("getPayout: reads the city's time zone once, for any number of months", async () => {
  const { id, apiKey } = await newCustomer(db);
  const entries = Array.from({ length: 41 }, (_, index) =>
    delivery(id, index, latest.subtract({ hours: 24 * 30 * index })),
  );
  await insertEntries(db, entries);
  expect((await readOf('cities', apiKey)).scans).toBe(1);
});
