import { eq, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isDistributed } from '#db/distributed.ts';
import { cities, customers } from '#db/schema.ts';
import { createBatches } from './batches.ts';
import { columns, type Include, liveSecrets, recordVersion } from './principal-columns.ts';

/** Of a record, the statement that checks many keys reads only the version, because most are known. */
export type KeyInclude = Exclude<Include, 'both'>;

function byKeys(db: Database, include: KeyInclude) {
  return db
    .select({
      ...columns(include === 'record' ? 'nothing' : include, customers.id),
      ...(include === 'record' ? { version: recordVersion(customers.id), timezone: cities.timezone } : {}),
      liveSecrets,
      apiKey: customers.apiKey,
    })
    .from(customers)
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(sql`${customers.apiKey} = any(${sql.placeholder('apiKeys')}::text[])`)
    .prepare(`principals_by_keys_${include}`);
}

function byId(db: Database, include: KeyInclude) {
  const id = sql`${sql.placeholder('id')}::bigint`;
  return db
    .select({ ...columns(include, id), version: recordVersion(id), timezone: cities.timezone })
    .from(customers)
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(eq(customers.id, id))
    .prepare(`principal_by_id_${include}`);
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
    const owner = byKeys(db, 'nothing');
    const rest = byId(db, include === 'record' ? 'nothing' : include);
    const read = async (values: { apiKeys: string; at: string }) => {
      if (include === 'nothing' || !(await isDistributed(db))) return statement.execute(values);
      // Citus does not join customers that have any of the keys with rows of distributed tables.
      const owners = await owner.execute(values);
      return Promise.all(
        owners.map(async (row) => ({
          ...row,
          ...(await rest.execute({ id: row.customerId, at: values.at }))[0],
        })),
      );
    };
    const run = async (apiKeys: string[]) => {
      const rows = await read({ apiKeys: textArray(apiKeys), at: now().toISOString() });
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
  const record = byId(db, 'record');
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
