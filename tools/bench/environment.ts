/** The database that everything is measured on: an embedded PostgreSQL of its own, filled by the operator's functions. */
import path from 'node:path';
import { connect, type Database } from '#db/client.ts';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import {
  newCards,
  newCity,
  newCustomer,
  newEntry,
  type Ring,
  type TestCustomer,
} from '#tools/testing/factories.ts';
import { temporaryFolder } from '#tools/testing/temporary-folder.ts';

export type Caller = Pick<TestCustomer, 'id' | 'apiKey' | 'apiSecret'>;
/** Points of the city's outline, a circle unless a ring of longitudes and latitudes is given, the cards on file and the days of history. */
export type Shape = { points: number; ring?: Ring; cards: number; days?: number };
export type Place = {
  folder: string;
  databaseUrl: string;
  ownerUrl: string;
  /** A customer in a city of its own, with a year of deliveries unless said otherwise. */
  newCaller: (shape: Shape) => Promise<Caller>;
  close: () => Promise<void>;
};

export async function openPlace(): Promise<Place> {
  const folder = await temporaryFolder('bench');
  const database = await openEmbeddedDatabase(path.join(folder.path, 'data'));
  await migrate(database.ownerUrl, database.appUrl);
  const owner = connect(database.ownerUrl, 2);
  return {
    folder: folder.path,
    databaseUrl: database.appUrl,
    ownerUrl: database.ownerUrl,
    newCaller: (shape) => newCaller(owner.db, shape),
    close: async () => {
      await owner.close();
      await database.release();
      await folder.remove();
    },
  };
}

async function newCaller(db: Database, { points, ring, cards, days = 365 }: Shape): Promise<Caller> {
  const customer = await newCustomer(db, { city: await newCity(db, { ring: ring ?? circle(points) }) });
  // A delivery every second day.
  for (let day = 0; day < days; day += 2) {
    const takesEffectAt = new Date(Date.now() - day * 86_400_000);
    await newEntry(db, customer, { amountCents: BigInt(900 + day), takesEffectAt });
  }
  await newCards(db, customer, cards);
  return customer;
}

function circle(points: number): Ring {
  // Six decimals are about 10 cm, the precision of published outlines.
  const round = (degrees: number) => Number(degrees.toFixed(6));
  return Array.from({ length: points + 1 }, (_, index) => {
    const angle = ((index % points) / points) * 2 * Math.PI;
    return [round(-122 + 0.1 * Math.cos(angle)), round(37.5 + 0.1 * Math.sin(angle))];
  });
}
