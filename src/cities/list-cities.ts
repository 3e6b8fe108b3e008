import type { Database } from '#db/client.ts';
import type { City } from './city.ts';
import { findCities } from './city-queries.ts';

/** All cities, by slug. */
export async function listCities(db: Database): Promise<City[]> {
  return findCities(db);
}
