import { randomBytes } from 'node:crypto';
import type { Database } from '#db/client.ts';
import { importCity } from '#src/cities/import-city.ts';
import { type Credentials, createCustomer } from '#src/customers/create-customer.ts';
import { addEntry } from '#src/ledger/add-entry.ts';
import type { EntryKind } from '#src/ledger/entry.ts';
import type { Context } from '#src/verb-context.ts';

const unique = () => randomBytes(5).toString('hex');

/** The random choices of a test run: printed, so that a failure can be had again with SEED. */
export function printedSeed(name: string): number {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  process.stdout.write(`${name}: seed ${seed}\n`);
  return seed;
}

/** @returns the slug of a new city in a zone */
export async function newCity(
  db: Database,
  timezone = 'America/Los_Angeles',
  name = `City ${unique()}`,
): Promise<string> {
  const ring = [
    [0, 0],
    [1, 0],
    [1, 1],
  ];
  const { slug } = await importCity(
    { db, actor: 'test' },
    {
      geometry: { type: 'Polygon', coordinates: [ring] },
      properties: {
        slug: `city-${unique()}`,
        name,
        timezone,
        base_price: 5.5,
        delivery_prices: {
          items: [
            { mile: 3, amount: 0 },
            { mile: 13, amount: 7.25 },
          ],
        },
        // Where the ring is, so that it does not look turned for its zone.
        latitude: 0.6,
        longitude: 0.6,
      },
    },
  );
  return slug;
}

/** A new customer, in a city of its own unless one is named. */
export async function newCustomer(db: Database, citySlug?: string): Promise<Credentials> {
  return createCustomer(
    { db, actor: 'test' },
    {
      username: `user-${unique()}`,
      email: 'someone@example.com',
      firstName: 'Ada',
      lastName: 'Lee',
      name: 'Acme Bakery',
      countryCode: '1',
      phone: '555-0142',
      citySlug: citySlug ?? (await newCity(db)),
      mode: 'test',
    },
  );
}

/** @returns adds an entry that takes effect at an instant, described by its reference */
export function entryAdder(ctx: Context) {
  return (username: string, reference: string, at: string, cents: bigint, kind: EntryKind = 'delivery') =>
    addEntry(ctx, {
      username,
      kind,
      amountCents: cents,
      takesEffectAt: new Date(at),
      description: `About ${reference}`,
      reference,
    });
}
