import { asc, eq, getTableColumns } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cities } from '#db/schema.ts';
import { DomainError } from '#src/errors.ts';

/** Without `monthStarts`, which only sums need. */
const { monthStarts: _, ...columns } = getTableColumns(cities);
export const cityColumns = columns;

export type City = Omit<typeof cities.$inferSelect, 'monthStarts'>;

/** @throws DomainError not_found */
export async function getCity(db: Database, slug: string): Promise<City> {
  const [city] = await db.select(cityColumns).from(cities).where(eq(cities.slug, slug));
  if (!city) throw new DomainError('not_found', 'There is no city with this slug.');
  return city;
}

/** All cities, by slug. */
export async function listCities(db: Database): Promise<City[]> {
  return db.select(cityColumns).from(cities).orderBy(asc(cities.slug));
}
