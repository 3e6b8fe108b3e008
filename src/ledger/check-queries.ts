import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';

export type RollupDifference = {
  username: string;
  month: string;
  entriesCents: bigint;
  rollupCents: bigint;
  entries: number;
  rollupEntries: number;
};
export type RollupCheck = { entries: number; months: number; differences: RollupDifference[] };

type Row = { username: string; month: string; summed: string; kept: string; counted: string; noted: string };

/** The months as the entries say, of everyone or of one customer. */
const summed = (where: SQL) => sql`
  select e.customer_id, case when cities.timezone in (select timezone from zone_months)
      then ledger_month(e.takes_effect_at, cities.timezone)
      else date_trunc('month', e.takes_effect_at at time zone cities.timezone)::date end as month, sum(e.amount_cents) as amount_cents,
    count(*) as entries
  from ledger_entries e join customers c on c.id = e.customer_id join cities on cities.id = c.city_id where ${where}
  group by 1, 2`;

/** Sums every entry anew and compares with the rollup, in one statement and so of one moment. */
export async function compareRollup(
  db: Database,
  username: string | undefined,
  most: number,
): Promise<RollupCheck> {
  const isWanted = username === undefined ? sql`true` : sql`c.username = ${username}`;
  const [row] = await db.execute<{ entries: string; months: string; differences: Row[] }>(sql`
    with summed as (${summed(isWanted)}),
    kept as (select l.* from ledger_months l join customers c on c.id = l.customer_id where ${isWanted}),
    differing as (
      select coalesce(s.customer_id, k.customer_id) as customer_id, coalesce(s.month, k.month) as month,
        coalesce(s.amount_cents, 0)::text as summed, coalesce(k.amount_cents, 0)::text as kept,
        coalesce(s.entries, 0)::text as counted, coalesce(k.entries, 0)::text as noted
      from summed s full join kept k on k.customer_id = s.customer_id and k.month = s.month
      where s.amount_cents is distinct from k.amount_cents or s.entries is distinct from k.entries
      order by 1, 2 limit ${most})
    select (select coalesce(sum(entries), 0)::text from summed) as entries,
      (select count(*)::text from kept) as months,
      (select coalesce(json_agg(json_build_object('username', c.username, 'month', d.month, 'summed', d.summed,
        'kept', d.kept, 'counted', d.counted, 'noted', d.noted)), '[]') from differing d
        join customers c on c.id = d.customer_id) as differences`);
  return {
    entries: Number(row?.entries ?? 0),
    months: Number(row?.months ?? 0),
    differences: (row?.differences ?? []).map((one) => ({
      username: one.username,
      month: one.month,
      entriesCents: BigInt(one.summed),
      rollupCents: BigInt(one.kept),
      entries: Number(one.counted),
      rollupEntries: Number(one.noted),
    })),
  };
}

/** Makes the months anew, of everyone or of one customer, with the audit. @returns how many months there are then */
export async function rebuildRollup(
  db: Database,
  actor: string,
  username: string | undefined,
): Promise<number> {
  const isWanted = username === undefined ? sql`true` : sql`username = ${username}`;
  const [row] = await db.execute<{ months: string }>(sql`
    with rebuilt as materialized (
      select rebuild_ledger_months(array(select id from customers where ${isWanted})) as months),
    audited as (
      insert into audit_entries (actor, action, customer_id, subject, after)
      select ${actor}, 'ledger.rebuilt', (select id from customers where username = ${username ?? null}::text),
        ${username ?? 'everyone'}, jsonb_build_object('months', months) from rebuilt)
    select months::text from rebuilt`);
  return Number(row?.months ?? 0);
}
