import { asc, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cities } from '#db/schema/index.ts';

type CityRow = typeof cities.$inferSelect;
export type CityFields = Omit<CityRow, 'id' | 'createdAt' | 'updatedAt'>;
export type CityOutcome = 'created' | 'updated' | 'unchanged';

/**
 * Adds a city or brings it up to date by its slug, with the audit, in one statement. A changed zone rebuilds the
 * monthly rollup of its customers in that statement too (a trigger).
 */
export async function upsertCity(
  db: Database,
  actor: string,
  city: CityFields,
): Promise<{ id: number; outcome: CityOutcome; timezoneBefore: string | null }> {
  const [row] = await db.execute<{ id: number; outcome: CityOutcome; timezoneBefore: string | null }>(sql`
    with before as (select * from cities where slug = ${city.slug} for no key update),
    wanted (slug, name, county_name, timezone, base_price_cents, delivery_prices, latitude, longitude, polygon_points,
      return_ride_limit_on_mile, is_active, is_discharge_single_ride_active, is_flat_app_active, is_places_app_active,
      is_delivery_app_active) as (values (${city.slug}, ${city.name}, ${city.countyName}, ${city.timezone},
        ${city.basePriceCents}::integer, ${city.deliveryPrices}, ${city.latitude}, ${city.longitude},
        ${city.polygonPoints}, ${city.returnRideLimitOnMile}::double precision, ${city.isActive}::boolean,
        ${city.isDischargeSingleRideActive}::boolean, ${city.isFlatAppActive}::boolean,
        ${city.isPlacesAppActive}::boolean, ${city.isDeliveryAppActive}::boolean)),
    written as (
      insert into cities as c (slug, name, county_name, timezone, base_price_cents, delivery_prices, latitude,
        longitude, polygon_points, return_ride_limit_on_mile, is_active, is_discharge_single_ride_active,
        is_flat_app_active, is_places_app_active, is_delivery_app_active)
      -- Counting makes sure that the row before is read before it is changed.
      select wanted.* from wanted, (select count(*) from before) as read_first
      on conflict (slug) do update set name = excluded.name, county_name = excluded.county_name,
        timezone = excluded.timezone, base_price_cents = excluded.base_price_cents,
        delivery_prices = excluded.delivery_prices, latitude = excluded.latitude, longitude = excluded.longitude,
        polygon_points = excluded.polygon_points, return_ride_limit_on_mile = excluded.return_ride_limit_on_mile,
        is_active = excluded.is_active, is_discharge_single_ride_active = excluded.is_discharge_single_ride_active,
        is_flat_app_active = excluded.is_flat_app_active, is_places_app_active = excluded.is_places_app_active,
        is_delivery_app_active = excluded.is_delivery_app_active, updated_at = now()
      where not to_jsonb(c) @> (select to_jsonb(wanted) from wanted)
      returning *),
    audited as (
      insert into audit_entries (actor, action, subject, before, after)
      select ${actor}, case when b.id is null then 'city.created' else 'city.updated' end, w.slug,
        jsonb_changes(to_jsonb(w), to_jsonb(b)) - 'updated_at', jsonb_changes(to_jsonb(b), to_jsonb(w)) - 'updated_at'
      from written w left join before b on b.id = w.id)
    select coalesce((select id from written), (select id from before)) as id,
      case when not exists (select from written) then 'unchanged'
        when exists (select from before) then 'updated' else 'created' end as outcome,
      (select timezone from before) as "timezoneBefore"`);
  if (!row) throw new Error('The database answered nothing to the city.');
  return row;
}

export async function findCity(db: Database, slug: string): Promise<CityRow | undefined> {
  const [row] = await db.select().from(cities).where(eq(cities.slug, slug));
  return row;
}

export async function findCities(db: Database): Promise<CityRow[]> {
  return db.select().from(cities).orderBy(asc(cities.slug));
}

/** Whether PostgreSQL, which sums by month, knows a zone by this very name. */
export async function isZoneOfDatabase(db: Database, name: string): Promise<boolean> {
  const [row] = await db.execute<{ found: boolean }>(
    sql`select exists (select from pg_timezone_names where name = ${name}) as found`,
  );
  return row?.found ?? false;
}
