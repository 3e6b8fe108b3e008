import { DomainError } from '#src/errors.ts';
import { centroidOf } from '#src/geo/point.ts';
import { readServiceArea } from '#src/geo/service-area.ts';
import { looksSwapped } from '#src/geo/swapped-axes.ts';
import { agreeOnZone } from '#src/ledger/zone-months.ts';
import type { Context } from '#src/verb-context.ts';
import { readCityProperties } from './city-properties.ts';
import { type CityFields, type CityOutcome, isZoneOfDatabase, upsertCity } from './city-queries.ts';
import type { CityFeature } from './read-geojson.ts';

export type ImportedCity = {
  id: number;
  slug: string;
  outcome: CityOutcome;
  /** True when the zone is another than before: then the months of the city's customers were summed anew. */
  isZoneChanged: boolean;
  points: number;
  /** What was mended or chosen on the way, for the person who imports. */
  notes: string[];
};

/**
 * Adds a city, or brings the one of that slug up to date.
 * @throws DomainError invalid_input that names what is wrong and where
 */
export async function importCity(ctx: Context, feature: CityFeature): Promise<ImportedCity> {
  const { city, notes } = await readCity(ctx, feature);
  await agreeOnZone(ctx.db, city.timezone);
  const { id, outcome, timezoneBefore } = await upsertCity(ctx.db, ctx.actor, city);
  return {
    id,
    slug: city.slug,
    outcome,
    isZoneChanged: timezoneBefore !== null && timezoneBefore !== city.timezone,
    points: (JSON.parse(city.polygonPoints) as unknown[]).length,
    notes,
  };
}

/** Checks a feature without writing anything. @throws DomainError invalid_input */
export async function readCity(
  ctx: Context,
  feature: CityFeature,
): Promise<{ city: CityFields; notes: string[] }> {
  const properties = readCityProperties(feature.properties);
  const area = readServiceArea(feature.geometry);
  if (typeof area === 'string') throw fault('geometry', area);
  if (!isZoneOfRuntime(properties.timezone) || !(await isZoneOfDatabase(ctx.db, properties.timezone))) {
    throw fault('timezone', 'It is not an IANA zone that is known here, such as America/Los_Angeles.');
  }
  const centre = centroidOf(area.points);
  if (looksSwapped(centre, properties)) {
    throw fault(
      'geometry',
      'ring 0, index 0: the axes look swapped: GeoJSON has longitude first, then latitude.',
    );
  }
  const city: CityFields = {
    ...properties,
    latitude: String(properties.latitude ?? Number(centre[1].toFixed(6))),
    longitude: String(properties.longitude ?? Number(centre[0].toFixed(6))),
    polygonPoints: JSON.stringify(area.points.map(([longitude, latitude]) => [latitude, longitude])),
  };
  return { city, notes: area.notes };
}

function isZoneOfRuntime(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function fault(param: string, message: string): DomainError {
  return new DomainError('invalid_input', 'The city cannot be imported like this.', [{ param, message }]);
}
