/** The database that all targets share, and the machine. */
import { readFile } from 'node:fs/promises';
import { cpus, release, totalmem, type } from 'node:os';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { type Database, openPool } from '#db/client.ts';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import { checkout } from '#tools/checkout.ts';
import {
  newCards,
  newCity,
  newCustomer,
  newEntry,
  type Ring,
  type TestCustomer,
} from '#tools/testing/factories.ts';
import { temporaryFolder } from '#tools/testing/processes.ts';

export type Caller = Pick<TestCustomer, 'id' | 'apiKey' | 'apiSecret'>;
/** How much data a customer has: points of the city's outline, cards on file, and days of deliveries. */
export type CustomerSize = {
  points: number;
  /** Instead of a circle. */
  ring?: Ring;
  cards: number;
  /** 365 by default. */
  days?: number;
};
export type Environment = BenchDatabase & {
  /** Creates a customer in a new city. */
  createCaller: (size: CustomerSize) => Promise<Caller>;
};
export type BenchDatabase = {
  folder: string;
  databaseUrl: string;
  ownerUrl: string;
  /** PostgreSQL's first process. */
  processId: number;
  close: () => Promise<void>;
};

export async function openEnvironment(): Promise<Environment> {
  const database = await openDatabase();
  const owner = openPool(database.ownerUrl, { connectionsMax: 2 });
  return {
    ...database,
    createCaller: (size) => createCaller(owner.db, size),
    close: async () => {
      await owner.close();
      await database.close();
    },
  };
}

/** The first has three cards and a year of deliveries; none of them uses up its quota. */
export async function createCallers(environment: Environment): Promise<[Caller, ...Caller[]]> {
  const callers: Caller[] = [];
  while (callers.length < 300)
    callers.push(await environment.createCaller({ points: 40, cards: 3, days: 30 }));
  return [await environment.createCaller({ points: 40, cards: 3 }), ...callers];
}

/** Starts an embedded PostgreSQL with empty tables in a temporary folder. */
export async function openDatabase(durability?: 'fast'): Promise<BenchDatabase> {
  const folder = await temporaryFolder('bench');
  const database = await openEmbeddedDatabase(path.join(folder.path, 'data'), durability);
  await migrate(database.ownerUrl);
  const pidFile = path.join(folder.path, 'data', 'postgres', 'data', 'postmaster.pid');
  return {
    processId: Number.parseInt(await readFile(pidFile, 'utf8'), 10),
    folder: folder.path,
    databaseUrl: database.webUrl,
    ownerUrl: database.ownerUrl,
    close: async () => {
      await database.release();
      await folder.remove();
    },
  };
}

async function createCaller(
  db: Database,
  { points, ring, cards, days = 365 }: CustomerSize,
): Promise<Caller> {
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

const packages = ['next', 'fastify', 'postgres', 'drizzle-orm', 'autocannon'];

/** @returns a line on the hardware and one on the versions */
export async function describeMachine({ databaseUrl }: BenchDatabase): Promise<string> {
  const { db, close } = openPool(databaseUrl, { connectionsMax: 1 });
  const [row] = await db.execute<{ version: string }>(
    sql`select current_setting('server_version') as version`,
  );
  await close();
  const versions = await Promise.all(packages.map(async (name) => `${name} ${await versionOf(name)}`));
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${cpus()[0]?.model.trim()}, ${memoryGib} GiB, ${type()} ${release()}, shared by the service, PostgreSQL, and the clients.
Node ${process.version}, PostgreSQL ${row?.version}, ${versions.join(', ')}`;
}

async function versionOf(name: string): Promise<string> {
  const file = path.join(checkout, 'node_modules', name, 'package.json');
  return JSON.parse(await readFile(file, 'utf8')).version;
}
