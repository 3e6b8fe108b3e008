import { eq } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Database } from '#db/client.ts';
import { cities } from '#db/schema.ts';
import { type ServiceArea, serviceAreaOf } from '#src/geo/service-area.ts';

type CityRow = {
  id: number;
  /** Identifies the version of the row. */
  version: string;
};

/** Some tens of megabytes. */
const positionsMax = 500_000;

/** By the version of the city's row: cities are few and seldom change. */
const areas = new LRUCache<string, ServiceArea, { db: Database; city: CityRow }>({
  maxSize: positionsMax,
  sizeCalculation: ({ ring }) => ring.length,
  fetchMethod: async (_version, _stale, { context: { db, city } }) => {
    // With its center, because the city may have been imported again since the session was read.
    const { latitude, longitude, polygonPoints } = cities;
    const [row] = await db
      .select({ latitude, longitude, polygonPoints })
      .from(cities)
      .where(eq(cities.id, city.id));
    return row && serviceAreaOf(row);
  },
});

/**
 * Reads the outline of a session's city, if it has changed since the last time.
 * @throws Error if the city was deleted since the session was read
 */
export function findServiceArea(db: Database, city: CityRow): Promise<ServiceArea> {
  return areas.forceFetch(city.version, { context: { db, city } });
}
