import { eq, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cities, customers, secrets } from '#db/schema.ts';
import { cityColumns } from '#src/cities/city.ts';
import { createBatches } from './batches.ts';
import { isSecretLive } from './session-queries.ts';

/** Data that the authentication statement also reads, so that a read is one round trip. */
export type Include = 'record' | 'payout' | 'both' | 'nothing';

type LiveSecret = { id: number; hash: string; lastUsedAt: string | null };
type CardRow = {
  id: number;
  uuid: string;
  last4: string | null;
  brand: string | null;
  funding: string | null;
  addressCountry: string | null;
  addressZip: string | null;
  isApplePayCard: boolean;
  expMonth: number | null;
  expYear: number | null;
  createdAt: string;
};
type BalanceRow = { month: string; timezone: string; balanceCents: string };

const activeCards = sql<CardRow[]>`(
  select coalesce(json_agg(json_build_object('id', c.id, 'uuid', c.uuid, 'last4', c.last4, 'brand', c.brand,
    'funding', c.funding, 'addressCountry', c.address_country, 'addressZip', c.address_zip,
    'isApplePayCard', c.is_apple_pay_card, 'expMonth', c.exp_month, 'expYear', c.exp_year, 'createdAt', c.created_at)
    order by c.id), '[]'::json)
  from cards c where c.customer_id = ${customers.id} and c.state = 'active')`;

/**
 * The month is that of the city's time zone. The balance is the sum of whole months, so no entries are read. `offset 0`
 * keeps PostgreSQL from computing the month again for each row.
 */
const balance = sql<BalanceRow>`(
  select json_build_object('month', m.month::text, 'timezone', ${cities.timezone}, 'balanceCents', (
    select coalesce(sum(l.amount_cents), 0)::text from ledger_months l
    where l.customer_id = ${customers.id} and l.month <= m.month))
  from (select ledger_month(${sql.placeholder('at')}::timestamptz, ${cities.timezone},
    ${cities.monthStarts}) as month offset 0) m)`;

/**
 * Identifies the rows of a customer's record: PostgreSQL writes each change as a new row version, with the ID of its
 * transaction at another location. VACUUM FULL moves rows, so their IDs belong to it. Another server or database has other
 * transactions.
 */
const version = sql<string>`concat_ws(' ', current_database(), pg_postmaster_start_time(), ${customers.id}, ${customers}.xmin,
  ${customers}.ctid, ${cities.id}, ${cities}.xmin, ${cities}.ctid,
  (select string_agg(concat_ws(' ', c.id, c.xmin, c.ctid), ' ' order by c.id)
    from cards c where c.customer_id = ${customers.id} and c.state = 'active'))`;

/** Only the included data, because the outline of a city can be a megabyte. */
export function columns(include: Include) {
  return {
    customerId: customers.id,
    status: customers.status,
    ...(include === 'record' || include === 'both'
      ? { customer: customers, city: cityColumns, cards: activeCards }
      : {}),
    ...(include === 'payout' || include === 'both' ? { balance } : {}),
  };
}

export const liveSecrets = sql<LiveSecret[]>`(
  select coalesce(json_agg(json_build_object('id', ${secrets.id}, 'hash', encode(${secrets.hash}, 'hex'),
    'lastUsedAt', ${secrets.lastUsedAt})), '[]'::json)
  from ${secrets} where ${secrets.customerId} = ${customers.id} and ${isSecretLive})`;

/** Of a record, the statement that checks many keys reads only the version, because most are known. */
export type KeyInclude = Exclude<Include, 'both'>;

function byKeys(db: Database, include: KeyInclude) {
  return db
    .select({
      ...columns(include === 'record' ? 'nothing' : include),
      ...(include === 'record' ? { version, timezone: cities.timezone } : {}),
      liveSecrets,
      apiKey: customers.apiKey,
    })
    .from(customers)
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(sql`${customers.apiKey} = any(${sql.placeholder('apiKeys')}::text[])`)
    .prepare(`principals_by_keys_${include}`);
}

function recordById(db: Database) {
  return db
    .select({ ...columns('record'), version, timezone: cities.timezone })
    .from(customers)
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(eq(customers.id, sql.placeholder('id')))
    .prepare('record_by_id');
}

export type KeyReads = ReturnType<typeof createKeyReads>;

/** As many as a pool lets wait. */
const queueMax = 500;
/** Of a network, once the queue is full. */
const shareMax = 100;
/** More at once would hold up the event loop when the statement ends. */
const keysMax = 64;

/**
 * Reads the customers of the keys of all requests of a turn of the event loop in one statement.
 * @param now selects the month of the balance
 */
export function createKeyReads(db: Database, now = () => new Date()) {
  const batchesOf = (include: KeyInclude) => {
    const statement = byKeys(db, include);
    const run = async (apiKeys: string[]) => {
      const rows = await statement.execute({ apiKeys: textArray(apiKeys), at: now().toISOString() });
      const byKey = new Map(rows.map((row) => [row.apiKey, row]));
      return apiKeys.map((apiKey) => byKey.get(apiKey));
    };
    return createBatches(run, { itemsMax: keysMax, runningMax: 2 });
  };
  const batches = {
    nothing: batchesOf('nothing'),
    record: batchesOf('record'),
    payout: batchesOf('payout'),
  };
  const waitingCount = (network?: string) =>
    Object.values(batches).reduce((sum, { waitingCount }) => sum + waitingCount(network), 0);
  const record = recordById(db);
  return {
    /**
     * The customer of an API key with the hashes of the valid secrets, which the caller has to check.
     * @param options.isCounted false for a network whose callers wait without a maximum, and do not fill the queue
     */
    find: (include: KeyInclude, apiKey: string, network?: string, options?: { isCounted: boolean }) =>
      batches[include].add(apiKey, network, options),
    findRecord: async (id: number) => (await record.execute({ id }))[0],
    waitingCount,
    /** Whether too many callers wait. One network cannot fill the queue for the others. */
    isQueueFull: (network?: string) => {
      const all = waitingCount();
      if (all < queueMax) return false;
      return network === undefined || all >= 2 * queueMax || waitingCount(network) >= shareMax;
    },
  };
}

/** An array literal without duplicates, and without texts that PostgreSQL cannot store. */
function textArray(texts: string[]): string {
  const storable = new Set(texts.filter((text) => !text.includes('\0')));
  return `{${[...storable].map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

export type KeyRow = NonNullable<Awaited<ReturnType<KeyReads['find']>>>;
export type RecordRow = NonNullable<Awaited<ReturnType<KeyReads['findRecord']>>>;
