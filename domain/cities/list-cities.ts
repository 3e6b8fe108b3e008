import type { Database } from '#db/client.ts';
import { findCities } from '#db/queries/cities.ts';
import type { City } from './city.ts';

/** All cities, by slug. */
export async function listCities(db: Database): Promise<City[]> {
  return findCities(db);
}
