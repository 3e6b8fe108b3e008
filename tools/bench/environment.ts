/** The database that everything is measured on: an embedded PostgreSQL of its own, filled by the operator's functions. */
import { createHash } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, type Database } from '#db/client.ts';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import { cards } from '#db/schema/index.ts';
import { importCity } from '#src/cities/import-city.ts';
import { createCustomer } from '#src/customers/create-customer.ts';
import { addEntry } from '#src/ledger/add-entry.ts';

export type Caller = { id: number; apiKey: string; apiSecret: string };
/** Points of the city's outline, a circle unless a ring of longitudes and latitudes is given, the cards on file and the days of history. */
export type Shape = { points: number; ring?: number[][]; cards: number; days?: number };
export type Place = {
  folder: string;
  databaseUrl: string;
  ownerUrl: string;
  /** A customer in a city of its own, with a year of deliveries unless said otherwise. */
  newCaller: (shape: Shape) => Promise<Caller>;
  close: () => Promise<void>;
};

export async function openPlace(): Promise<Place> {
  const folder = await mkdtemp(path.join(tmpdir(), 'scheduling-service-bench-'));
  // Root's PostgreSQL runs as another user, who must be able to get there.
  await chmod(folder, 0o711);
  const database = await openEmbeddedDatabase(path.join(folder, 'data'));
  await migrate(database.ownerUrl, database.appUrl);
  const owner = connect(database.ownerUrl, 2);
  return {
    folder,
    databaseUrl: database.appUrl,
    ownerUrl: database.ownerUrl,
    newCaller: (shape) => newCaller(owner.db, shape),
    close: async () => {
      await owner.close();
      await database.release();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let made = 0;

async function newCaller(
  db: Database,
  { points, ring, cards: cardCount, days = 365 }: Shape,
): Promise<Caller> {
  made += 1;
  const context = { db, actor: 'bench' };
  const slug = `bench-${made}`;
  await importCity(context, {
    geometry: { type: 'Polygon', coordinates: [ring ?? circle(points)] },
    properties: {
      slug,
      name: 'Springfield',
      county_name: 'Bench County',
      timezone: 'America/Los_Angeles',
      base_price: 8.99,
      delivery_prices: { items: [3, 6, 10, 15].map((mile, index) => ({ mile, amount: index * 2.25 })) },
    },
  });
  const created = await createCustomer(context, {
    username: `customer-${made}`,
    email: 'bench@example.com',
    firstName: 'Ada',
    lastName: 'Byron',
    name: 'Bench Flowers',
    countryCode: '1',
    phone: '4155550100',
    citySlug: slug,
    mode: 'test',
  });
  await addDeliveries(db, created.username, days);
  await addCards(db, created.id, cardCount);
  return { id: created.id, apiKey: created.apiKey, apiSecret: created.apiSecret };
}

/** A delivery every second day. */
async function addDeliveries(db: Database, username: string, days: number): Promise<void> {
  for (let day = 0; day < days; day += 2) {
    await addEntry(
      { db, actor: 'bench' },
      {
        username,
        kind: 'delivery',
        amountCents: BigInt(900 + day),
        takesEffectAt: new Date(Date.now() - day * 86_400_000),
        description: 'Delivery, 4.2 miles',
        reference: `delivery-${day}`,
      },
    );
  }
}

/** Straight into the table: what they cost to read has nothing to do with how they came. */
async function addCards(db: Database, customerId: number, count: number): Promise<void> {
  if (count === 0) return;
  await db.insert(cards).values(
    Array.from({ length: count }, (_, index) => ({
      customerId,
      state: 'active' as const,
      tokenHash: createHash('sha256').update(`${customerId}/${index}`).digest(),
      fingerprint: `fingerprint-${index}`,
      last4: '4242',
      brand: 'visa',
      funding: 'credit',
      addressCountry: 'US',
      addressZip: '94103',
      expMonth: 9,
      expYear: 2031,
    })),
  );
}

function circle(points: number): number[][] {
  const ring = Array.from({ length: points }, (_, index) => {
    const angle = (index / points) * 2 * Math.PI;
    // Six decimals are a hand's breadth: as fine as outlines come.
    return [-122 + 0.1 * Math.cos(angle), 37.5 + 0.1 * Math.sin(angle)].map((degrees) => +degrees.toFixed(6));
  });
  return [...ring, ring[0] ?? []];
}
