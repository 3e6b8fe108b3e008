import { sql as query } from 'drizzle-orm';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { type Database, openPool } from '#db/client.ts';
import { createKeyReads } from '#src/api/key-reads.ts';
import { countBacklog } from '#src/cards/list-cards.ts';
import { listEntries } from '#src/ledger/list-entries.ts';
import { readMonth, readStatement } from '#src/ledger/read-statement.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { insertEntries, newCustomer, type RawEntry } from '#tools/testing/factories.ts';

const { db, sql, url } = await testDatabase();
const at = new Date('2026-11-20T00:00:00Z');
const latest = Temporal.Instant.from('2026-11-10T00:00:00Z');

const delivery = (customerId: number, index: number, takesEffectAt: Temporal.Instant): RawEntry => ({
  customerId,
  amountCents: 1n,
  takesEffectAt: new Date(takesEffectAt.epochMilliseconds),
  reference: String(index),
});

/** PostgreSQL's counters of rows and scans of one table and its indexes. */
async function readOf(
  table: string,
  read: (one: Database) => Promise<unknown>,
): Promise<{ rows: number; scans: number }> {
  const { db: one, close } = openPool(url, { connectionsMax: 1 });
  try {
    await one.execute(query`begin`);
    await read(one);
    const [count] = await one.execute<{ rows: number; scans: number }>(query`
      select sum(pg_stat_get_xact_tuples_returned(oid) * (kind = 'r')::int + pg_stat_get_xact_tuples_fetched(oid))::int as rows,
        sum(pg_stat_get_xact_numscans(oid))::int as scans
      from (
        select ${table}::regclass::oid, 'r' union all
        select indexrelid, 'i' from pg_index where indrelid = ${table}::regclass) t (oid, kind)`);
    return count ?? { rows: -1, scans: -1 };
  } finally {
    await close();
  }
}

const payoutOf = (apiKey: string) => (one: Database) => createKeyReads(one, () => at).find('payout', apiKey);

test('getPayout: reads monthly totals only, for any number of entries', async () => {
  const counts: number[] = [];
  for (const length of [100, 30_000]) {
    const { id, apiKey } = await newCustomer(db);
    const entries = Array.from({ length }, (_, index) =>
      delivery(id, index, latest.subtract({ hours: 24 * (index % 300) })),
    );
    await insertEntries(db, entries);
    expect(await readOf('ledger_entries', payoutOf(apiKey))).toEqual({ rows: 0, scans: 0 });
    counts.push((await readOf('ledger_months', payoutOf(apiKey))).rows);
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
  expect((await readOf('cities', payoutOf(apiKey))).scans).toBe(1);
});

test('payout page: reads no more per entry or city while the statistics of PostgreSQL are old', async () => {
  for (let count = 0; count < 40; count++) {
    const { id } = await newCustomer(db);
    await insertEntries(db, [delivery(id, 0, latest)]);
  }
  await sql`analyze`;
  const { id } = await newCustomer(db);
  const entries = Array.from({ length: 2_000 }, (_, index) =>
    delivery(id, index, latest.subtract({ minutes: index })),
  );
  await insertEntries(db, entries);
  const page = await readOf('ledger_entries', (one) => listEntries(one, id, { limit: 25 }));
  expect(page.rows).toBeLessThan(200);
  for (const read of [
    (one: Database) => listEntries(one, id, { limit: 25, month: '2026-11-01' }),
    (one: Database) => readMonth(one, id, { month: '2026-11', timezone: 'UTC', now: at }),
    (one: Database) => readStatement(one, id, '2026-11', at),
  ])
    expect((await readOf('cities', read)).scans).toBeLessThan(50);
});

test('countBacklog: reads no active card once a reconciliation has ended', async () => {
  const { id } = await newCustomer(db);
  await sql`insert into cards (customer_id, state, token_hash, last4)
    select ${id}, 'active', sha256(n::text::bytea), '4242' from generate_series(1, 500) n`;
  await sql`analyze`;
  const read = () => readOf('cards', countBacklog);
  expect((await read()).rows).toBe(500);
  await sql`insert into reconciliations (lease_until, finished_at, counts) values (now(), now(), '{"missing": 0, "failed": 0}')`;
  expect((await read()).rows).toBe(0);
});
