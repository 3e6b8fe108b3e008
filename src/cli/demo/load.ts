import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { eq, notInArray } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { customers } from '#db/schema.ts';
import type { Context } from '#src/audit.ts';
import { addCard } from '#src/cards/add-card.ts';
import { getCity } from '#src/cities/city.ts';
import { importCity } from '#src/cities/import-city.ts';
import { type Credentials, createCustomer } from '#src/customers/create-customer.ts';
import { rotateSecret } from '#src/customers/rotate-secret.ts';
import { DomainError } from '#src/errors.ts';
import { writePrivateFile } from '#src/installation-secrets.ts';
import { addEntry } from '#src/ledger/add-entry.ts';
import type { CardProvider } from '#src/payments/provider.ts';
import { type DemoCustomer, demoCities, demoCustomers } from './data.ts';
import { demoEntries } from './ledger.ts';

type LoadedDemo = { file: string; isNew: boolean };

type DemoInput = {
  /** With the operator's role. */
  db: Database;
  /** The folder of `demo.env`. */
  dataDir: string;
  /** Written to `demo.env`. */
  baseUrl: string;
  /** Adds the cards, with the service's role; without it the demo has none. */
  service?: { db: Database; provider: CardProvider };
  now?: Date;
};

/**
 * Loads the demo: two cities, two customers, a year of ledger entries, and cards. `demo.env` is written last: without it a
 * call completes an interrupted load, and with it a call does nothing.
 * @returns the file (mode 0600) with `BASE_URL`, `API_KEY`, `API_SECRET`, and `SECOND_…` for the second customer;
 *   undefined if the database has other customers
 */
export async function loadDemo(input: DemoInput): Promise<LoadedDemo | undefined> {
  const file = path.join(path.resolve(input.dataDir), 'demo.env');
  if (existsSync(file)) return { file, isNew: false };
  const isOther = notInArray(
    customers.username,
    demoCustomers.map(({ username }) => username),
  );
  const others = await input.db.select({ id: customers.id }).from(customers).where(isOther).limit(1);
  if (others.length > 0) return undefined;
  const ctx = { db: input.db, actor: 'service:demo' };
  for (const city of demoCities()) await importCity(ctx, city);
  const credentials: Credentials[] = [];
  for (const customer of demoCustomers) {
    const issued = await issueCredentials(ctx, customer);
    await addEntries(ctx, customer, input.now ?? new Date());
    await addCards(input, issued.id, customer);
    credentials.push(issued);
  }
  await writeCredentials(file, credentials, input.baseUrl);
  return { file, isNew: true };
}

/** After an interrupted load, the customer exists but its secret is lost, so it gets a new one. */
async function issueCredentials(ctx: Context, customer: DemoCustomer): Promise<Credentials> {
  const account = { username: customer.username, mode: 'test' as const };
  return createCustomer(ctx, { ...customer, ...account }).catch((error: unknown) => {
    if (!alreadyExists(error)) throw error;
    return rotateSecret(ctx, { ...account, overlapSeconds: 0 });
  });
}

/** How long before the first entry the account was opened. */
const accountLeadMs = 9 * 86_400_000;

async function addEntries(ctx: Context, customer: DemoCustomer, now: Date): Promise<void> {
  const city = await getCity(ctx.db, customer.citySlug);
  const entries = demoEntries(customer, city, now);
  for (const entry of entries) {
    await addEntry(ctx, entry).catch((error: unknown) => {
      if (!alreadyExists(error)) throw error;
    });
  }
  const firstAt = Math.min(...entries.map(({ takesEffectAt }) => takesEffectAt.getTime()));
  await ctx.db
    .update(customers)
    .set({ createdAt: new Date(firstAt - accountLeadMs) })
    .where(eq(customers.username, customer.username));
}

async function addCards(input: DemoInput, customerId: number, customer: DemoCustomer): Promise<void> {
  if (!input.service) return;
  const ctx = { ...input.service, instanceId: () => null };
  for (const { token, addressZip } of customer.cards) {
    const card = { addressCountry: 'US', addressZip };
    await addCard(ctx, { customerId, token, card });
  }
}

async function writeCredentials(file: string, credentials: Credentials[], baseUrl: string): Promise<void> {
  const lines = credentials.flatMap(({ username, apiKey, apiSecret }, index) => {
    const prefix = index === 0 ? '' : 'SECOND_';
    return [`# ${username}`, `${prefix}API_KEY=${apiKey}`, `${prefix}API_SECRET=${apiSecret}`];
  });
  const head = "# The demo's credentials. To load them into a shell: set -a; . this-file; set +a";
  const text = [head, `BASE_URL=${baseUrl}`, ...lines, ''].join('\n');
  await mkdir(path.dirname(file), { recursive: true });
  await writePrivateFile(file, text);
}

function alreadyExists(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'already_exists';
}
