import { asc, eq, getTableColumns } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cities } from '#db/schema.ts';
import { DomainError } from '#src/errors.ts';
import { priceStepFor, priceSteps } from './delivery-price.ts';

/** Without `monthStarts`, which only sums need. */
const { monthStarts: _, ...columns } = getTableColumns(cities);
export const cityColumns = columns;

export type City = Omit<typeof cities.$inferSelect, 'monthStarts'>;

/** What is read for every page: the outline can be a megabyte, and few pages need it. */
const { polygonPoints: __, ...columnsWithoutOutline } = columns;
export const cityColumnsWithoutOutline = columnsWithoutOutline;

export type CityWithoutOutline = Omit<City, 'polygonPoints'>;

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

/**
 * The price of a delivery over a distance, with its calculation.
 * @throws DomainError refused beyond the last step of the price table
 */
export function quoteOf(city: CityWithoutOutline, miles: number) {
  const steps = priceSteps(city);
  const step = priceStepFor(steps, miles);
  if (!step) {
    throw new DomainError(
      'refused',
      `The price table of ${city.slug} ends at ${steps.at(-1)?.milesMax} miles.`,
    );
  }
  const { basePriceCents: baseCents } = city;
  const { milesMax: stepMile, priceCents: totalCents } = step;
  return { baseCents, stepMile, stepCents: totalCents - baseCents, totalCents };
}
