import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { oneRow } from '#db/one-row.ts';
import { cities } from '#db/schema.ts';
import { columnValues } from '#db/tables/columns.ts';
import { auditInsert, type Context } from '#src/audit.ts';
import { DomainError } from '#src/errors.ts';
import { looksSwapped } from '#src/geo/looks-swapped.ts';
import { formatRing } from '#src/geo/position.ts';
import { centerOf, readServiceArea } from '#src/geo/read-service-area.ts';
import { findMonthStarts, isZoneOfRuntime } from '#src/ledger/month.ts';
import { readCityProperties } from './city-properties.ts';
import type { CityFeature } from './read-geojson.ts';

type CityOutcome = 'created' | 'updated' | 'unchanged';
type NewCity = typeof cities.$inferInsert;

export type ImportedCity = {
  id: number;
  slug: string;
  outcome: CityOutcome;
  /** Whether the time zone changed, which rebuilds the months of the city's customers. */
  isZoneChanged: boolean;
  points: number;
  /** Corrections and choices to report to the operator. */
  notes: string[];
};

/** A feature that was checked. */
export type CheckedCity = { city: NewCity } & Pick<ImportedCity, 'points' | 'notes'>;

/**
 * Adds a city or updates it by its slug.
 * @throws DomainError invalid_input that names what is wrong and where
 */
export async function importCity(ctx: Context, feature: CityFeature): Promise<ImportedCity> {
  return writeCity(ctx, await checkCity(ctx, feature));
}

/** Adds a city that was checked, or updates it by its slug. */
export async function writeCity(ctx: Context, { city, points, notes }: CheckedCity): Promise<ImportedCity> {
  const { id, outcome, timezoneBefore } = await upsertCity(ctx, city);
  return {
    id,
    slug: city.slug,
    outcome,
    isZoneChanged: timezoneBefore !== null && timezoneBefore !== city.timezone,
    points,
    notes,
  };
}

/** Checks a feature without writing anything. @throws DomainError invalid_input */
export async function checkCity(ctx: Context, feature: CityFeature): Promise<CheckedCity> {
  const properties = readCityProperties(feature.properties);
  const area = readServiceArea(feature.geometry);
  if (typeof area === 'string') throw invalid('geometry', area);
  const monthStarts = await monthStartsOf(ctx.db, properties.timezone);
  if (monthStarts === undefined) {
    throw invalid('timezone', 'Unknown time zone. Use an IANA name, such as America/Los_Angeles.');
  }
  const center = centerOf(area.ring);
  if (looksSwapped(center, properties)) {
    throw invalid(
      'geometry',
      'ring 0, index 0: the axes look swapped. GeoJSON has longitude first, then latitude.',
    );
  }
  const city: NewCity = {
    ...properties,
    latitude: String(properties.latitude ?? Number(center[1].toFixed(6))),
    longitude: String(properties.longitude ?? Number(center[0].toFixed(6))),
    polygonPoints: formatRing(area.ring),
    monthStarts,
  };
  return { city, points: area.ring.length, notes: area.notes };
}

/**
 * Writes the city, the audit row, and after a change of the time zone its customers' months, in one statement. The lock
 * FOR UPDATE serializes it with statements that add entries. The customers whose months change are locked before it, as
 * everywhere (docs/decisions/0008-monthly-ledger-sums.md), and as the foreign key of their months locks them.
 */
async function upsertCity(
  ctx: Context,
  city: NewCity,
): Promise<{ id: number; outcome: CityOutcome; timezoneBefore: string | null }> {
  const { db, actor } = ctx;
  const values = columnValues(cities, city);
  const columns = (of = sql``) =>
    sql.join(
      values.map(({ name }) => sql`${of}${name}`),
      sql`, `,
    );
  const updates = [
    sql`updated_at = excluded.updated_at`,
    ...values.map(({ name }) => sql`${name} = excluded.${name}`),
  ];
  const audit = auditInsert({
    actor,
    action: sql`case when b.id is null then 'city.created' else 'city.updated' end`,
    subject: sql`w.slug`,
    before: sql`jsonb_changes(to_jsonb(w), to_jsonb(b)) - 'updated_at' - 'month_starts'`,
    after: sql`jsonb_changes(to_jsonb(b), to_jsonb(w)) - 'updated_at' - 'month_starts'`,
    from: sql`written w left join before b on b.id = w.id`,
  });
  type Row = { id: string | null; outcome: CityOutcome; timezoneBefore: string | null };
  const row = await oneRow(
    db.execute<Row>(sql`
    with wanted (${columns()}) as (values (${sql.join(
      values.map(({ value }) => value),
      sql`, `,
    )})),
    owners as materialized (
      select id from customers where city_id = any(array(
        select c.id from cities c join wanted w on w.slug = c.slug
        where (w.timezone, w.month_starts) is distinct from (c.timezone, c.month_starts)))
      order by id for key share),
    before as (
      select * from cities where slug = ${city.slug} and (select count(*) from owners) >= 0 for update),
    written as (
      insert into cities as c (${columns()})
      -- Counting makes sure that the row is locked and read before it is changed.
      select wanted.* from wanted, (select count(*) from before) as read_first
      on conflict (slug) do update set ${sql.join(updates, sql`, `)}
      where exists (select from before) and row(${columns(sql`c.`)}) is distinct from row(${columns(sql`excluded.`)})
      returning *),
    audited as (${audit})
    select coalesce((select id from written), (select id from before)) as id,
      case when not exists (select from written) then 'unchanged'
        when exists (select from before) then 'updated' else 'created' end as outcome,
      (select timezone from before) as "timezoneBefore",
      (select rebuild_city_months(w.id) from written w join before b on b.id = w.id
        where (w.timezone, w.month_starts) is distinct from (b.timezone, b.month_starts)) as months`),
  );
  // Another import has just added the city.
  if (row.id === null) return upsertCity(ctx, city);
  return { ...row, id: Number(row.id) };
}

type MonthStarts = Date[] | null;

const monthStartsByZone = new WeakMap<Database, Map<string, MonthStarts>>();

/**
 * Cached for the process, because looking a zone up takes PostgreSQL 20 ms, and a file can have thousands of cities. Months
 * that are out of date are found once a day (`findStaleCities`).
 * @returns what a city stores, or undefined for a zone that Node.js or PostgreSQL does not know
 */
async function monthStartsOf(db: Database, zone: string): Promise<MonthStarts | undefined> {
  const cached = monthStartsByZone.get(db) ?? new Map<string, MonthStarts>();
  monthStartsByZone.set(db, cached);
  const known = cached.get(zone);
  if (known !== undefined) return known;
  if (!isZoneOfRuntime(zone) || !(await isZoneOfDatabase(db, zone))) return undefined;
  const starts = await findMonthStarts(db, zone);
  cached.set(zone, starts);
  return starts;
}

/** Whether PostgreSQL, which sums by month, knows the zone. */
async function isZoneOfDatabase(db: Database, name: string): Promise<boolean> {
  const found = await db.execute(sql`select from pg_timezone_names where name = ${name}`);
  return found.length > 0;
}

function invalid(param: string, message: string): DomainError {
  return new DomainError('invalid_input', 'The city is invalid, so nothing was imported.', [
    { param, message },
  ]);
}
