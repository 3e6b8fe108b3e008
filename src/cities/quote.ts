import { DomainError } from '#src/errors.ts';
import type { City } from './city.ts';
import { priceStepFor, priceSteps } from './delivery-price.ts';

export type Quote = {
  miles: number;
  baseCents: number;
  stepMile: number;
  stepCents: number;
  totalCents: number;
};

/**
 * The price of a delivery over a distance, with its calculation.
 * @throws DomainError refused beyond the last step of the price table
 */
export function quoteOf(city: City, miles: number): Quote {
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
  return { miles, baseCents, stepMile, stepCents: totalCents - baseCents, totalCents };
}
