import { type SQL, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { Temporal } from 'temporal-polyfill';
import type { Database } from '#db/client.ts';
import { oneRow } from '#db/one-row.ts';
import { firstYear, lastYear } from '#src/instant.ts';

export type MonthBounds = { start: Date; end: Date };

/**
 * The first instant of a month and of the next in a zone. Where midnight comes twice, the first one; where the clock
 * jumps over it, the jump.
 * @param month its first day, `2026-11-01`
 * @param timeZone an IANA name
 * @throws RangeError for an unknown zone or a malformed day
 */
export function monthBounds(month: string, timeZone: string): MonthBounds {
  return known.memo(`${month} ${timeZone}`, { context: { month, timeZone } });
}

/** Kept, because zone lookups are slow and there are few zones and one current month. */
const known = new LRUCache<string, MonthBounds, { month: string; timeZone: string }>({
  max: 2_000,
  memoMethod: (_key, _stale, { context: { month, timeZone } }) => {
    const first = Temporal.PlainDate.from(month).with({ day: 1 });
    return { start: startOfDay(first, timeZone), end: startOfDay(first.add({ months: 1 }), timeZone) };
  },
});

function startOfDay(date: Temporal.PlainDate, timeZone: string): Date {
  return new Date(date.toZonedDateTime(timeZone).epochMilliseconds);
}

export function isZoneOfRuntime(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * Node.js and PostgreSQL update their time zone data separately. The data of Node.js takes precedence, because
 * `period_start` and `period_end` are computed from it.
 * @returns the starts of a zone's months from January 1970, or null if PostgreSQL's data agrees
 */
export async function findMonthStarts(db: Database, timezone: string): Promise<Date[] | null> {
  const starts = Array.from({ length: (lastYear - firstYear + 1) * 12 }, (_, index) =>
    startOfDay(new Temporal.PlainDate(firstYear + Math.floor(index / 12), (index % 12) + 1, 1), timezone),
  );
  const { isSame } = await oneRow(
    db.execute<{ isSame: boolean }>(sql`
    select bool_and(ledger_month(start, ${timezone}, null) = month
      and ledger_month(start - interval '1 millisecond', ${timezone}, null) < month) as "isSame"
    from unnest(${instantArray(starts)}) with ordinality as t (start, n),
      lateral (select (date '1970-01-01' + make_interval(months => n::integer - 1))::date) as m (month)`),
  );
  return isSame ? null : starts;
}

type StaleCity = { id: string; starts: SQL };

/** The cities whose months are not those of Node.js's time zone data. */
export async function findStaleCities(db: Database): Promise<StaleCity[]> {
  const zones = await db.execute<{ timezone: string }>(sql`select distinct timezone from cities order by 1`);
  const stale: StaleCity[] = [];
  for (const { timezone } of zones) {
    // Imported with newer data. Requests of the city's customers fail until Node.js is updated, and no others.
    if (!isZoneOfRuntime(timezone)) continue;
    const starts = instantArray(await findMonthStarts(db, timezone));
    const cities = await db.execute<{ id: string }>(sql`
      select id from cities where timezone = ${timezone} and month_starts is distinct from ${starts} order by id`);
    stale.push(...cities.map((city) => ({ ...city, starts })));
  }
  return stale;
}

/**
 * Updates cities' months and their customers' sums to the time zone data of Node.js, one city at a time. Takes its locks in the
 * order of a city import.
 */
export async function syncZoneMonths(db: Database): Promise<void> {
  for (const { id, starts } of await findStaleCities(db)) {
    await db.execute(sql`
      with owners as materialized (select id from customers where city_id = ${id} order by id for key share),
      stale as materialized (
        select id from cities where id = ${id} and month_starts is distinct from ${starts}
          and (select count(*) from owners) >= 0 for update),
      changed as (update cities set month_starts = ${starts} from stale where cities.id = stale.id returning cities.id)
      select rebuild_city_months(id) from changed`);
  }
}

function instantArray(instants: Date[] | null) {
  const text = instants && `{${instants.map((instant) => `"${instant.toISOString()}"`).join(',')}}`;
  return sql`${text}::text::timestamptz[]`;
}
