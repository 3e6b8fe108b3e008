import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { customers } from '#db/schema/index.ts';
import { addCard } from '#src/cards/add-card.ts';
import { importCity } from '#src/cities/import-city.ts';
import { requireCity } from '#src/cities/quote.ts';
import { type Credentials, createCustomer } from '#src/customers/create-customer.ts';
import { rotateSecret } from '#src/customers/rotate-secret.ts';
import { DomainError } from '#src/errors.ts';
import { addEntry } from '#src/ledger/add-entry.ts';
import type { CardProvider } from '#src/payments/provider.ts';
import type { Context } from '#src/verb-context.ts';
import { demoCities } from './cities.ts';
import { type DemoCustomer, demoCustomers } from './customers.ts';
import { demoEntries } from './ledger.ts';

export type DemoInput = {
  db: Database;
  /** Where `demo.env` goes. */
  dataDir: string;
  /** Written into `demo.env`, for lines that one copies. */
  baseUrl: string;
  /** Without it the demo has no cards. */
  provider?: CardProvider;
  now?: Date;
};

/**
 * Loads the demo (two cities, two customers, a year of ledger, cards) through the operator's own functions. `demo.env`
 * is written last: while it is missing a call finishes what an earlier one left, once it is there nothing is added.
 * @returns the file, readable by its owner alone: `API_KEY`, `API_SECRET`, the same of the second customer, `BASE_URL`
 */
export async function loadDemo(input: DemoInput): Promise<{ file: string; isNew: boolean }> {
  const file = path.join(path.resolve(input.dataDir), 'demo.env');
  if (existsSync(file)) return { file, isNew: false };
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

/** A customer left by an interrupted load has a secret that nobody knows: it gets a new one. */
async function issueCredentials(ctx: Context, customer: DemoCustomer): Promise<Credentials> {
  const known = { username: customer.username, mode: 'test' as const };
  return createCustomer(ctx, { ...customer, ...known }).catch((error: unknown) => {
    if (!isAlreadyThere(error)) throw error;
    return rotateSecret(ctx, { ...known, overlapSeconds: 0 });
  });
}

/** An account is opened some days before the first delivery that it pays for. */
const openedBeforeMs = 9 * 86_400_000;

async function addEntries(ctx: Context, customer: DemoCustomer, now: Date): Promise<void> {
  const city = await requireCity(ctx.db, customer.citySlug);
  const entries = demoEntries(customer, city, now);
  for (const entry of entries) {
    await addEntry(ctx, entry).catch((error: unknown) => {
      if (!isAlreadyThere(error)) throw error;
    });
  }
  const firstAt = Math.min(...entries.map(({ takesEffectAt }) => takesEffectAt.getTime()));
  await ctx.db
    .update(customers)
    .set({ createdAt: new Date(firstAt - openedBeforeMs) })
    .where(eq(customers.username, customer.username));
}

async function addCards(input: DemoInput, customerId: number, customer: DemoCustomer): Promise<void> {
  if (!input.provider) return;
  for (const { token, addressZip } of customer.cards) {
    const card = { addressCountry: 'US', addressZip };
    await addCard({ db: input.db, provider: input.provider }, { customerId, token, card });
  }
}

async function writeCredentials(file: string, credentials: Credentials[], baseUrl: string): Promise<void> {
  const lines = credentials.flatMap(({ username, apiKey, apiSecret }, index) => {
    const prefix = index === 0 ? '' : 'SECOND_';
    return [`# ${username}`, `${prefix}API_KEY=${apiKey}`, `${prefix}API_SECRET=${apiSecret}`];
  });
  const head = "# The demo's credentials, for a shell: set -a; . this-file; set +a";
  const text = [head, `BASE_URL=${baseUrl}`, ...lines, ''].join('\n');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.new`, text, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}

function isAlreadyThere(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'already_exists';
}
