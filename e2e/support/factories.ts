/** What tests put into the database of the running service, each its own. */
import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { Temporal } from 'temporal-polyfill';
import type { Database } from '#db/client.ts';
import { cards } from '#db/schema/index.ts';
import { importCity } from '#src/cities/import-city.ts';
import { createCustomer } from '#src/customers/create-customer.ts';
import { addEntry } from '#src/ledger/add-entry.ts';
import type { Context } from '#src/verb-context.ts';

export type TestCity = { slug: string; name: string; timezone: string };
export type TestCustomer = {
  id: number;
  username: string;
  name: string;
  apiKey: string;
  apiSecret: string;
  city: TestCity;
};

const unique = () => randomBytes(5).toString('hex');
const contextOf = (db: Database): Context => ({ db, actor: 'tests' });

type Ring = [lng: number, lat: number][];

const box: Ring = [
  [-122.2, 37.4],
  [-122.0, 37.4],
  [-122.0, 37.6],
  [-122.2, 37.6],
  [-122.2, 37.4],
];

/** Fifty thousand points, with teeth that no drawing may lose. */
export function toothedRing(): Ring {
  const count = 50_000;
  return Array.from({ length: count + 1 }, (_, index) => {
    const angle = ((index % count) / count) * 2 * Math.PI;
    const radius = 0.2 + 0.002 * Math.sin(angle * 400) + 0.0005 * Math.sin(angle * 9_000);
    return [-121.5 + radius * Math.cos(angle) * 1.25, 38.58 + radius * Math.sin(angle)];
  });
}

/** A city in California, a box of some ten miles unless a ring is given: longitude first, as GeoJSON has it. */
export async function newCity(
  db: Database,
  { ring = box, ...given }: Partial<TestCity> & { ring?: Ring } = {},
): Promise<TestCity> {
  const city = {
    slug: `testville-${unique()}`,
    name: 'Testville',
    timezone: 'America/Los_Angeles',
    ...given,
  };
  const prices = { items: [3, 6, 10].map((mile, index) => ({ mile, amount: index * 2.25 })) };
  await importCity(contextOf(db), {
    properties: { ...city, county_name: 'Test County', base_price: 8.99, delivery_prices: prices },
    geometry: { type: 'Polygon', coordinates: [ring] },
  });
  return city;
}

/** A customer with a key and a secret, in a city of its own unless one is given. */
export async function newCustomer(db: Database, given: { city?: TestCity } = {}): Promise<TestCustomer> {
  const city = given.city ?? (await newCity(db));
  const username = `customer-${unique()}`;
  const name = `${username} Deliveries`;
  const created = await createCustomer(contextOf(db), {
    username,
    name,
    email: `${username}@example.com`,
    firstName: 'Ada',
    lastName: 'Byron',
    countryCode: '1',
    phone: '4155550100',
    citySlug: city.slug,
    mode: 'test',
  });
  return { ...created, name, city };
}

/** A delivery in a customer's ledger. */
export async function newDelivery(
  db: Database,
  customer: TestCustomer,
  { amountCents, takesEffectAt = new Date() }: { amountCents: bigint; takesEffectAt?: Date },
): Promise<void> {
  const { username } = customer;
  const entry = { username, amountCents, takesEffectAt, kind: 'delivery' as const };
  await addEntry(contextOf(db), { ...entry, description: 'A delivery', reference: `delivery-${unique()}` });
}

/** A credit in a customer's ledger; its amount is given positive. */
export async function newCredit(db: Database, customer: TestCustomer, amountCents: bigint): Promise<void> {
  const { username } = customer;
  const entry = { username, amountCents, takesEffectAt: new Date(), kind: 'credit' as const };
  await addEntry(contextOf(db), { ...entry, description: 'A credit', reference: `credit-${unique()}` });
}

/** So many cards on a customer's file, of which the provider knows nothing. */
export async function newCards(db: Database, { id }: TestCustomer, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, place) => `${id}-${place}`);
  await db.insert(cards).values(
    names.map((name) => ({
      customerId: id,
      state: 'active' as const,
      tokenHash: Buffer.from(name.padEnd(32)),
      fingerprint: name,
      paymentMethodId: `pm_of_${name}`,
    })),
  );
}

/** All cards of a customer expire so many months from now. */
export async function setCardExpiry(
  db: Database,
  { id, city }: TestCustomer,
  monthsAhead: number,
): Promise<void> {
  const { month, year } = Temporal.Now.plainDateISO(city.timezone).add({ months: monthsAhead });
  await db.update(cards).set({ expMonth: month, expYear: year }).where(eq(cards.customerId, id));
}
