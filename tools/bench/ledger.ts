/**
 * The payout's statement by length of history: customers with 10^3, 10^5, and 10^7 entries among 10^6 customers.
 */
import { sql } from 'drizzle-orm';
import { type Database, openPool } from '#db/client.ts';
import { createKeyReads } from '#src/api/key-reads.ts';
import { importCity } from '#src/cities/import-city.ts';
import { openDatabase } from './environment.ts';
import { print, quantile, table } from './measure.ts';

const lengths = [1e3, 1e5, 1e7];
const customers = 1e6;
const rounds = 20;
const readsPerRound = 250;
const years = 10;

type Result = { entries: number; medianMs: number; p95Ms: number; p99Ms: number; rowsRead: number };

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

async function measure(db: Database): Promise<Result[]> {
  const { find } = createKeyReads(db);
  const keys = lengths.map((_, index) => `key-${index + 1}`);
  const times = keys.map((): number[] => []);
  for (let round = -2; round < rounds; round++) {
    for (let read = 0; read < readsPerRound; read++) {
      // In turns, so that other work on the machine affects all equally.
      for (const [index, key] of keys.entries()) {
        const startedAt = performance.now();
        await find('payout', key);
        // The first two rounds warm the caches.
        if (round >= 0) times[index]?.push(performance.now() - startedAt);
      }
    }
  }
  const results: Result[] = [];
  for (const [index, key] of keys.entries()) {
    const samples = times[index] ?? [];
    const rowsRead = await rowsReadBy(db, key);
    results.push({
      entries: lengths[index] ?? 0,
      medianMs: quantile(samples, 0.5),
      p95Ms: quantile(samples, 0.95),
      p99Ms: quantile(samples, 0.99),
      rowsRead,
    });
  }
  return results;
}

/** @returns a section of the report */
export async function measureLedger(): Promise<string> {
  const database = await openDatabase('fast');
  try {
    const owner = openPool(database.ownerUrl, { connectionsMax: 1 });
    await fill(owner.db).finally(owner.close);
    const app = openPool(database.databaseUrl, { connectionsMax: 1 });
    return report(await measure(app.db).finally(app.close));
  } finally {
    await database.close();
  }
}

function report(results: Result[]): string {
  const power = (count: number) => `10^${Math.round(Math.log10(count))}`;
  const lines = results.map(({ entries, medianMs, p95Ms, p99Ms, rowsRead }) => {
    const ratio = p95Ms / (results[0]?.p95Ms ?? p95Ms);
    return [power(entries), ...[medianMs, p95Ms, p99Ms].map((ms) => ms.toFixed(3)), ratio, rowsRead];
  });
  return `The API's statement, including authentication, for ${results.length} customers in turns, ${rounds * readsPerRound} reads each, among
${power(customers)} customers. Their entries span ${years} years, so each has about ${years * 12} monthly sums.

${table(['entries', 'median ms', 'p95 ms', 'p99 ms', 'p95 vs. first', 'rows read'], lines)}
`;
}
