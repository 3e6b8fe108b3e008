import type { Database } from '#db/client.ts';
import { DomainError } from '#src/errors.ts';
import { type City, getCity } from './city.ts';
import { deliveryPriceCents, priceItems } from './delivery-price.ts';

export type Quote = {
  miles: number;
  baseCents: number;
  stepMile: number;
  stepCents: number;
  totalCents: number;
};

/**
 * What a delivery over a distance costs in a city, and how that comes about.
 * @throws DomainError refused beyond the last step of the price table
 */
export function quoteOf(city: City, miles: number): Quote {
  const totalCents = deliveryPriceCents(city.basePriceCents, city.deliveryPrices, miles);
  const items = priceItems(city.deliveryPrices);
  const step = items.find(({ mile }) => mile >= miles);
  if (totalCents === null || !step) {
    throw new DomainError(
      'refused',
      `${city.slug} delivers up to ${items.at(-1)?.mile} miles: there is no price for more.`,
    );
  }
  const baseCents = city.basePriceCents;
  return { miles, baseCents, stepMile: step.mile, stepCents: totalCents - baseCents, totalCents };
}

/** @throws DomainError not_found, refused */
export async function quote(db: Database, slug: string, miles: number): Promise<Quote> {
  return quoteOf(await getCity(db, slug), miles);
}
