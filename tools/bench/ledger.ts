/** Reads by length of history: of customers with 10^3, 10^5, and 10^7 entries among 10^6 customers. */
import { sql } from 'drizzle-orm';
import { type Database, openPool } from '#db/client.ts';
import { createKeyReads } from '#src/api/key-reads.ts';
import { importCity } from '#src/cities/import-city.ts';
import { listEntries } from '#src/ledger/list-entries.ts';
import { openDatabase } from './environment.ts';
import { inTurns, median, print, quantile } from './measure.ts';

const lengths = [1e3, 1e5, 1e7];
const customers = 1e6;
const years = 10;

/** By length of history. */
export type Times = { entries: number; medianMs: number; p95Ms: number; p99Ms: number };
export type LedgerResults = {
  payout: (Times & { rowsRead: number })[];
  /** By what the page of transactions shows. */
  transactions: Record<string, Times[]>;
};

async function fill(owner: Database): Promise<void> {
  const ring = [
    [-122, 37],
    [-121, 37],
    [-121, 38],
  ];
  const delivery_prices = { items: [{ mile: 10, amount: 0 }] };
  const properties = {
    slug: 'bench',
    name: 'Bench',
    timezone: 'America/Los_Angeles',
    base_price: 5,
    delivery_prices,
  };
  await importCity(
    { db: owner, actor: 'bench' },
    { geometry: { type: 'Polygon', coordinates: [ring] }, properties },
  );
  await owner.execute(sql`
    insert into customers (city_id, username, email, api_key, first_name, last_name, name, country_code, phone)
    select (select id from cities), 'bench-' || n, 'bench@example.com', 'key-' || n, 'A', 'B', 'Bench', '1', '555-0100'
    from generate_series(1, ${customers}::integer) n`);
  // Triggers are off while the rows are inserted; the months are summed once at the end.
  await owner.execute(sql`set session_replication_role = replica`);
  for (const [index, length] of lengths.entries()) await fillOne(owner, index + 1, length);
  await fillOthers(owner);
  await owner.execute(sql`set session_replication_role = default`);
  await owner.execute(sql`select rebuild_ledger_months(array(select id from customers))`);
  await owner.execute(sql`vacuum analyze`);
}

async function fillOne(owner: Database, customer: number, length: number): Promise<void> {
  const startedAt = performance.now();
  await owner.execute(sql`
    insert into ledger_entries (customer_id, kind, amount_cents, takes_effect_at, description, reference)
    select (select id from customers where username = ${`bench-${customer}`}), 'delivery', 500 + n % 3000,
      now() - make_interval(secs => (n::double precision / ${length}) * ${years * 365 * 86_400}), 'Delivery', n::text
    from generate_series(1, ${length}::integer) n`);
  print(
    `${length} entries for customer ${customer} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)`,
  );
}

async function fillOthers(owner: Database): Promise<void> {
  await owner.execute(sql`
    insert into ledger_entries (customer_id, kind, amount_cents, takes_effect_at, description, reference)
    select id, 'delivery', 1000, now() - interval '40 days', 'Delivery', 'r' from customers
    where id > ${lengths.length}`);
}

/** @returns the rows that PostgreSQL fetches from all tables for one read */
async function rowsReadBy(db: Database, key: string): Promise<number> {
  const reads = 100;
  const fetched = async () => {
    await db.execute(sql`select pg_stat_force_next_flush()`);
    await db.execute(sql`select 1`);
    const [row] = await db.execute<{ n: string }>(
      sql`select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::text as n from pg_stat_user_tables`,
    );
    return Number(row?.n);
  };
  const before = await fetched();
  const { find } = createKeyReads(db);
  for (let read = 0; read < reads; read++) await find('payout', key);
  return ((await fetched()) - before) / reads;
}

/** @param read of a customer, with the ID, which is its position in `lengths`, from 1 */
async function timesOf(readCount: number, read: (id: number) => Promise<unknown>): Promise<Times[]> {
  const ids = lengths.map((_, index) => index + 1);
  const measureOne = async (id: number) => {
    const startedAt = performance.now();
    await read(id);
    return performance.now() - startedAt;
  };
  const samples = await inTurns(ids, readCount, measureOne, readCount / 10);
  return samples.map((times, index) => ({
    entries: lengths[index] ?? 0,
    medianMs: median(times),
    p95Ms: quantile(times, 0.95),
    p99Ms: quantile(times, 0.99),
  }));
}

async function measurePayout(db: Database): Promise<LedgerResults['payout']> {
  const { find } = createKeyReads(db);
  const results: LedgerResults['payout'] = [];
  for (const [index, times] of (await timesOf(5_000, (id) => find('payout', `key-${id}`))).entries())
    results.push({ ...times, rowsRead: await rowsReadBy(db, `key-${index + 1}`) });
  return results;
}

/** As a page of the dashboard reads them. */
async function measureTransactions(db: Database): Promise<LedgerResults['transactions']> {
  const month = new Date().toISOString().slice(0, 7);
  const filters = {
    latest: {},
    'of a month': { month: `${month}-01` },
    'of another type': { kind: 'payment' },
    'a text that none has': { text: 'Groceries' },
  } as const;
  const results: LedgerResults['transactions'] = {};
  for (const [name, filter] of Object.entries(filters))
    results[name] = await timesOf(200, (id) => listEntries(db, id, { ...filter, limit: 25 }));
  return results;
}

export async function measureLedger(): Promise<LedgerResults> {
  const database = await openDatabase('fast');
  try {
    const owner = openPool(database.ownerUrl, { connectionsMax: 1 });
    await fill(owner.db).finally(owner.close);
    const app = openPool(database.databaseUrl, { connectionsMax: 1 });
    try {
      return { payout: await measurePayout(app.db), transactions: await measureTransactions(app.db) };
    } finally {
      await app.close();
    }
  } finally {
    await database.close();
  }
}
