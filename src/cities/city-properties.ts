import { z } from 'zod';
import { type Detail, DomainError } from '#src/errors.ts';
import { isRecord } from '#src/geo/read-service-area.ts';
import { amountProblem, centsOf } from '#src/money.ts';
import { textProblem } from '#src/text.ts';
import type { City } from './city.ts';
import type { PriceItem } from './delivery-price.ts';

const text = (max: number) =>
  z
    .string('Must be text.')
    .refine((value) => value.trim() !== '', 'Must not be empty.')
    .refine(
      (value) => textProblem(value, max) === undefined,
      `Must have at most ${max} characters, and none that can’t be stored.`,
    );
const flag = (fallback: boolean) =>
  z
    .union(
      [z.boolean(), z.enum(['true', 'false']).transform((value) => value === 'true')],
      'Must be true or false.',
    )
    .default(fallback);
const number = (least: number, max: number) =>
  z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^-?\d+(\.\d+)?$/)
          .transform(Number),
      ],
      'Must be a number.',
    )
    .refine((value) => value >= least && value <= max, `Must be from ${least} to ${max}.`);

/** Named as the API's city fields. */
const properties = z.object({
  name: text(100),
  slug: z
    .string('Must be text.')
    .regex(
      /^[a-z0-9]+(-[a-z0-9]+)*$/,
      'Use lowercase letters and digits with single hyphens, such as san-mateo.',
    )
    .max(64, 'Must have at most 64 characters.')
    .optional(),
  base_price: number(0, 100_000),
  delivery_prices: z.unknown(),
  latitude: number(-90, 90).optional(),
  longitude: number(-180, 180).optional(),
  county_name: text(100).optional(),
  timezone: text(64),
  is_active: flag(true),
  is_discharge_single_ride_active: flag(false),
  return_ride_limit_on_mile: number(0, 25_000).optional(),
  is_flat_app_active: flag(false),
  is_places_app_active: flag(false),
  is_delivery_app_active: flag(true),
});

export const cityPropertyNames = Object.keys(properties.shape);

export type CityProperties = Omit<
  City,
  'id' | 'latitude' | 'longitude' | 'polygonPoints' | 'createdAt' | 'updatedAt'
> & {
  latitude: number | undefined;
  longitude: number | undefined;
};

/**
 * Reads a city's properties from an import file or from command options.
 * @throws DomainError invalid_input that names every invalid property
 */
export function readCityProperties(value: Record<string, unknown>): CityProperties {
  const parsed = properties.safeParse(value);
  const details: Detail[] = (parsed.error?.issues ?? []).map((issue) => ({
    param: issue.path.join('.'),
    message: value[String(issue.path[0])] === undefined ? 'Is required.' : issue.message,
  }));
  const table = readPriceTable(value.delivery_prices);
  if (typeof table === 'string') {
    const message = value.delivery_prices === undefined ? 'Is required.' : table;
    details.push({ param: 'delivery_prices', message });
  }
  const priceIssue = parsed.success ? priceProblem(parsed.data.base_price) : undefined;
  if (priceIssue) details.push({ param: 'base_price', message: priceIssue });
  const slug = parsed.data?.slug ?? slugOf(parsed.data?.name ?? '');
  if (parsed.success && slug === '') details.push({ param: 'slug', message: 'Is required.' });
  if (!parsed.success || typeof table === 'string' || details.length > 0) {
    throw new DomainError('invalid_input', 'The city is invalid, so nothing was imported.', details);
  }
  const { data } = parsed;
  return {
    slug,
    name: data.name,
    countyName: data.county_name ?? data.name,
    timezone: data.timezone,
    basePriceCents: Number(centsOf(String(data.base_price))),
    deliveryPrices: JSON.stringify({ items: table }),
    latitude: data.latitude,
    longitude: data.longitude,
    returnRideLimitOnMile: data.return_ride_limit_on_mile ?? table.at(-1)?.mile ?? 0,
    isActive: data.is_active,
    isDischargeSingleRideActive: data.is_discharge_single_ride_active,
    isFlatAppActive: data.is_flat_app_active,
    isPlacesAppActive: data.is_places_app_active,
    isDeliveryAppActive: data.is_delivery_app_active,
  };
}

function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-|-$/g, '');
}

const itemsMax = 200;
const milesMax = 25_000;
const centsMax = 10_000_000n;

/**
 * Reads a price table from an import file.
 * @param input `{"items":[{"mile":3,"amount":0},…]}` as an object or as its JSON text
 * @returns the items by rising mile, or what is wrong with them
 */
export function readPriceTable(input: unknown): PriceItem[] | string {
  const table = typeof input === 'string' ? parsed(input) : input;
  if (!isRecord(table) || !Array.isArray(table.items)) {
    return 'Must be {"items":[{"mile":number,"amount":number},…]}, as an object or as its JSON text.';
  }
  const { items } = table;
  if (items.length === 0) return 'Must have at least one item.';
  if (items.length > itemsMax) return `Must have at most ${itemsMax} items.`;
  const read: PriceItem[] = [];
  for (const [index, item] of items.entries()) {
    const problem = itemProblem(item, read);
    if (problem) return `item ${index}: ${problem}`;
    read.push({ mile: item.mile, amount: item.amount });
  }
  return read.toSorted((a, b) => a.mile - b.mile);
}

function itemProblem(item: unknown, before: PriceItem[]): string | undefined {
  if (!isRecord(item)) return 'must be {"mile":number,"amount":number}.';
  const { mile, amount } = item;
  if (typeof mile !== 'number' || !(mile > 0 && mile <= milesMax)) {
    return `"mile" must be a number greater than 0 and at most ${milesMax}.`;
  }
  if (before.some((other) => other.mile === mile)) return `"mile" ${mile} appears twice.`;
  return typeof amount === 'number' ? priceProblem(amount) : '"amount" must be a number in dollars.';
}

/** @returns what is wrong with a price in dollars, or undefined */
function priceProblem(dollars: number): string | undefined {
  const problem = amountProblem(String(dollars));
  if (problem) return `a price must be in dollars with at most two decimal places.`;
  const cents = centsOf(String(dollars));
  if (cents < 0n) return 'a price can’t be negative.';
  return cents > centsMax ? 'the maximum price is $100,000.' : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
