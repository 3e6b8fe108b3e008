import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';

export type ZoneMonth = { month: string; start: Date };

/**
 * Keeps the months of a zone where PostgreSQL's own data would put any of them elsewhere; then sums of customers there
 * are made anew (a trigger of the same statement).
 * @returns how many months were kept or corrected
 */
export async function keepZoneMonths(db: Database, timezone: string, months: ZoneMonth[]): Promise<number> {
  const names = `{${months.map(({ month }) => month).join(',')}}`;
  const starts = `{${months.map(({ start }) => `"${start.toISOString()}"`).join(',')}}`;
  const kept = await db.execute(sql`
    with given as (
      select * from unnest(${names}::text::date[], ${starts}::text::timestamptz[]) as t (month, starts_at)),
    needed as (
      select from zone_months where timezone = ${timezone}
      union all
      select from given where date_trunc('month', starts_at at time zone ${timezone})::date <> month
        or date_trunc('month', (starts_at - interval '1 millisecond') at time zone ${timezone})::date >= month)
    insert into zone_months as known (timezone, month, starts_at)
    select ${timezone}, month, starts_at from given where exists (select from needed)
    on conflict (timezone, month) do update set starts_at = excluded.starts_at
      where known.starts_at <> excluded.starts_at
    returning month`);
  return kept.length;
}
