import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { oneRow } from '#db/one-row.ts';
import { auditInsert, type Context } from '#src/audit.ts';
import { getCustomerByUsername } from '#src/customers/get-customer.ts';
import { syncZoneMonths } from './month.ts';

type RollupDifference = {
  username: string;
  month: string;
  entriesCents: bigint;
  rollupCents: bigint;
  entries: number;
  rollupEntries: number;
};
export type RollupCheck = { entries: number; months: number; differences: RollupDifference[] };

export const differencesMax = 1_000;

type Slices = {
  customersPerSlice?: number;
  /** @param customers that have been checked */
  onProgress?: (customers: number) => void;
};

/**
 * Sums all entries again and compares them with the monthly rollup that payouts read: some customers in each statement, so
 * that none is long enough to hold back vacuum.
 * @param username checks only this customer
 * @returns the first 1,000 differences
 * @throws DomainError not_found
 */
export async function verifyLedger(
  db: Database,
  username?: string,
  { customersPerSlice = 10_000, onProgress = () => {} }: Slices = {},
): Promise<RollupCheck> {
  if (username !== undefined) return compareRollup(db, await customerFilter(db, username));
  const total: RollupCheck = { entries: 0, months: 0, differences: [] };
  let customers = 0;
  for await (const { filter, size } of customerSlices(db, customersPerSlice)) {
    const check = await compareRollup(db, filter);
    total.entries += check.entries;
    total.months += check.months;
    total.differences = [...total.differences, ...check.differences].slice(0, differencesMax);
    customers += size;
    onProgress(customers);
  }
  return total;
}

/**
 * Rebuilds the rollup from the entries, by today's time zone data: some customers in each statement, because their sign-ins
 * and card changes wait for it. The audit of all customers is written after the last.
 * @returns the number of months
 * @throws DomainError not_found
 */
export async function rebuildLedger(
  { db, actor }: Context,
  username?: string,
  { customersPerSlice = 100 }: Pick<Slices, 'customersPerSlice'> = {},
): Promise<number> {
  const filter = username === undefined ? undefined : await customerFilter(db, username);
  await syncZoneMonths(db);
  const audit = { actor, action: 'ledger.rebuilt', after: sql`jsonb_build_object('months', months)` };
  if (filter) {
    const customerId = sql`(select id from owners)`;
    return rebuildRollup(db, filter, auditInsert({ ...audit, customerId, from: sql`rebuilt` }));
  }
  let months = 0;
  for await (const slice of customerSlices(db, customersPerSlice))
    months += await rebuildRollup(db, slice.filter);
  const rebuilt = sql`(select ${months}::bigint as months) rebuilt`;
  await db.execute(auditInsert({ ...audit, subject: 'everyone', from: rebuilt }));
  return months;
}

/** A condition on `c`, a customer. */
async function customerFilter(db: Database, username: string): Promise<SQL> {
  const { customer } = await getCustomerByUsername(db, username);
  return sql`c.id = ${customer.id}`;
}

/** All customers by ID, as conditions on `c`. */
async function* customerSlices(
  db: Database,
  customersPerSlice: number,
): AsyncGenerator<{ filter: SQL; size: number }> {
  for (let after = 0; ; ) {
    const { last, size } = await oneRow(
      db.execute<{ last: number | null; size: number }>(sql`
      select max(id)::float8 as last, count(*)::int as size
      from (select id from customers where id > ${after} order by id limit ${customersPerSlice}) s`),
    );
    if (last === null) return;
    yield { filter: sql`c.id > ${after} and c.id <= ${last}`, size };
    after = last;
  }
}

/** JSON has exact cents as text. */
type DifferenceRow = Omit<RollupDifference, 'entriesCents' | 'rollupCents'> &
  Record<'entriesCents' | 'rollupCents', string>;

/** One statement, so that all values are from the same snapshot. */
async function compareRollup(db: Database, filter: SQL): Promise<RollupCheck> {
  const { entries, months, differences } = await oneRow(
    db.execute<{ entries: string; months: string; differences: DifferenceRow[] }>(sql`
    with summed as (
      select e.customer_id, ledger_month(e.takes_effect_at, cities.timezone, cities.month_starts) as month,
        sum(e.amount_cents) as amount_cents, count(*) as entries
      from ledger_entries e join customers c on c.id = e.customer_id join cities on cities.id = c.city_id
      where ${filter} group by 1, 2),
    stored as (select l.* from ledger_months l join customers c on c.id = l.customer_id where ${filter}),
    differing as (
      select coalesce(s.customer_id, k.customer_id) as customer_id, coalesce(s.month, k.month) as month,
        coalesce(s.amount_cents, 0)::text as summed, coalesce(k.amount_cents, 0)::text as stored,
        coalesce(s.entries, 0) as counted, coalesce(k.entries, 0) as recorded
      from summed s full join stored k on k.customer_id = s.customer_id and k.month = s.month
      where s.amount_cents is distinct from k.amount_cents or s.entries is distinct from k.entries
      order by 1, 2 limit ${differencesMax})
    select (select coalesce(sum(entries), 0)::text from summed) as entries,
      (select count(*)::text from stored) as months,
      (select coalesce(json_agg(json_build_object('username', c.username, 'month', d.month, 'entriesCents', d.summed,
        'rollupCents', d.stored, 'entries', d.counted, 'rollupEntries', d.recorded) order by d.customer_id, d.month), '[]')
        from differing d
        join customers c on c.id = d.customer_id) as differences`),
  );
  return {
    entries: Number(entries),
    months: Number(months),
    differences: differences.map(({ entriesCents, rollupCents, ...difference }) => {
      return { ...difference, entriesCents: BigInt(entriesCents), rollupCents: BigInt(rollupCents) };
    }),
  };
}

/**
 * Customers before cities, in the order in which adding entries locks them. FOR UPDATE, because a weaker lock does not wait
 * for statements that add entries.
 * @param audit of `rebuilt` and `owners`
 */
async function rebuildRollup(db: Database, filter: SQL, audit?: SQL): Promise<number> {
  const { months } = await oneRow(
    db.execute<{ months: string }>(sql`
    with owners as materialized (select c.id, c.city_id from customers c where ${filter} order by c.id for update),
    calendars as materialized (select id from cities where id = any(array(select city_id from owners)) for key share),
    rebuilt as materialized (
      select rebuild_ledger_months(array(select id from owners)) as months
      where (select count(*) from calendars) >= 0)
    ${audit && sql`, audited as (${audit})`}
    select months::text from rebuilt`),
  );
  return Number(months);
}
