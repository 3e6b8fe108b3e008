/** Test data with unique names: customers, cities, and entries through the functions that operators use, other rows directly. */
import { randomBytes } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { Temporal } from 'temporal-polyfill';
import type { Database } from '#db/client.ts';
import { cards, secrets } from '#db/schema.ts';
import type { Context } from '#src/audit.ts';
import { importCity } from '#src/cities/import-city.ts';
import { createCustomer } from '#src/customers/create-customer.ts';
import type { Customer } from '#src/customers/get-customer.ts';
import { setStatus } from '#src/customers/update-customer.ts';
import { addEntry, addingEntries, balancesInRange } from '#src/ledger/add-entry.ts';
import type { EntryKind } from '#src/ledger/entry.ts';
import { newToken, tokenHash } from '#src/tokens.ts';

type TestCity = { slug: string; name: string; timezone: string };
export type TestCustomer = {
  id: number;
  username: string;
  name: string;
  apiKey: string;
  apiSecret: string;
  secretId: number;
  city: TestCity;
};
export type Credentials = Pick<TestCustomer, 'apiKey' | 'apiSecret'>;

export const credentialHeaders = ({ apiKey, apiSecret }: Credentials) => ({
  'X-AUTH-APIKEY': apiKey,
  'X-AUTH-APISECRET': apiSecret,
});

/** That no customer has. */
export const unknownCredentials = (): Credentials => ({
  apiKey: newToken('key', 'test'),
  apiSecret: newToken('secret', 'test'),
});

/** Longitude first (RFC 7946, section 3.1.1). */
export type Ring = [longitude: number, latitude: number][];

const box: Ring = [
  [-122.2, 37.4],
  [-122.0, 37.4],
  [-122.0, 37.6],
  [-122.2, 37.6],
  [-122.2, 37.4],
];

const uniqueId = () => randomBytes(5).toString('hex');
export const contextOf = (db: Database): Context => ({ db, actor: 'tests' });

/** A ring of 50,000 points with small teeth, which disappear if it is simplified too much. */
export function toothedRing(): Ring {
  const count = 50_000;
  return Array.from({ length: count + 1 }, (_, index) => {
    const angle = ((index % count) / count) * 2 * Math.PI;
    const radius = 0.2 + 0.002 * Math.sin(angle * 400) + 0.0005 * Math.sin(angle * 9_000);
    return [-121.5 + radius * Math.cos(angle) * 1.25, 38.58 + radius * Math.sin(angle)];
  });
}

/** A city in California; without a ring, a box of about 11 by 14 miles. */
export async function newCity(
  db: Database,
  { ring, ...fields }: Partial<TestCity> & { ring?: Ring } = {},
): Promise<TestCity> {
  const city = {
    slug: `testville-${uniqueId()}`,
    name: 'Testville',
    timezone: 'America/Los_Angeles',
    ...fields,
  };
  const prices = { items: [3, 6, 10].map((mile, index) => ({ mile, amount: index * 2.25 })) };
  await importCity(contextOf(db), {
    properties: {
      ...city,
      county_name: 'Test County',
      base_price: 8.99,
      delivery_prices: prices,
      // Without its center, the box would look as if its axes were swapped for a zone far from California.
      ...(!ring && { latitude: 37.5, longitude: -122.1 }),
    },
    geometry: { type: 'Polygon', coordinates: [ring ?? box] },
  });
  return city;
}

/** A customer with an API key and a secret, in a new city unless one is given. */
export async function newCustomer(
  db: Database,
  { city: existingCity, status }: { city?: TestCity | undefined; status?: Customer['status'] } = {},
): Promise<TestCustomer> {
  const city = existingCity ?? (await newCity(db));
  const username = `customer-${uniqueId()}`;
  const name = `${username} Deliveries`;
  const credentials = await createCustomer(contextOf(db), {
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
  if (status) await setStatus(contextOf(db), { username, status });
  const [secret] = await db
    .select({ id: secrets.id })
    .from(secrets)
    .where(eq(secrets.customerId, credentials.id));
  if (!secret) throw new Error('The customer has no secret.');
  return { ...credentials, name, secretId: secret.id, city };
}

type EntryOptions = {
  amountCents: bigint;
  kind?: EntryKind;
  takesEffectAt?: Date;
  description?: string;
  reference?: string;
};

/** An entry in a customer's ledger, a delivery unless another kind is given. Amounts of credits are positive too. */
export async function newEntry(
  db: Database,
  { username }: Pick<TestCustomer, 'username'>,
  { kind = 'delivery', takesEffectAt = new Date(), reference, ...entry }: EntryOptions,
) {
  return addEntry(contextOf(db), {
    description: reference ? `About ${reference}` : `A ${kind}`,
    ...entry,
    username,
    kind,
    takesEffectAt,
    reference: reference ?? `${kind}-${uniqueId()}`,
  });
}

export type RawEntry = {
  customerId: number;
  kind?: EntryKind;
  /** Signed. */
  amountCents: bigint;
  takesEffectAt: Date;
  description?: string;
  reference: string;
};

/** Adds entries of any amount, deliveries by default, in one statement, without the checks of `addEntry`. */
export async function insertEntries(db: Database, rows: RawEntry[]): Promise<void> {
  const json = JSON.stringify(rows.map((row) => ({ ...row, amountCents: row.amountCents.toString() })));
  const entries = sql`
    select row_number() over () as position, "customerId" as customer_id, coalesce(kind, 'delivery') as kind,
      "amountCents" as amount_cents, "takesEffectAt" as takes_effect_at,
      coalesce(description, '') as description, reference, null::bigint as reverses_id
    from json_to_recordset(${json}::text::json) as t ("customerId" bigint, kind text, "amountCents" bigint,
      "takesEffectAt" timestamptz, description text, reference text)`;
  await db.execute(sql`with ${addingEntries(entries)} select ${balancesInRange}`);
}

/** Active cards that the payment provider does not know. */
export async function newCards(db: Database, { id }: Pick<TestCustomer, 'id'>, count: number): Promise<void> {
  if (count === 0) return;
  const names = Array.from({ length: count }, (_, index) => `${id}-${index}`);
  await db.insert(cards).values(
    names.map((name) => ({
      customerId: id,
      state: 'active' as const,
      tokenHash: tokenHash(name),
      fingerprint: `fingerprint-${name}`,
      paymentMethodId: `pm_of_${name}`,
      last4: '4242',
      brand: 'visa',
      funding: 'credit',
      addressCountry: 'US',
      addressZip: '94103',
      expMonth: 9,
      expYear: 2041,
    })),
  );
}

/** Sets the expiry of all cards of a customer. */
export async function setCardExpiry(
  db: Database,
  { id, city }: TestCustomer,
  monthsAhead: number,
): Promise<void> {
  const { month, year } = Temporal.Now.plainDateISO(city.timezone).add({ months: monthsAhead });
  await db.update(cards).set({ expMonth: month, expYear: year }).where(eq(cards.customerId, id));
}

/** Prints and returns the seed of random tests. To repeat a failed run, set `SEED` to it. */
export function printedSeed(name: string): number {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  process.stdout.write(`${name}: seed ${seed}\n`);
  return seed;
}
