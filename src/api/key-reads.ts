import { eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isDistributed } from '#db/distributed.ts';
import { cities, customers } from '#db/schema.ts';
import { createBatches } from './batches.ts';
import { columns, type Include, liveSecrets, recordColumns } from './principal.ts';

/**
 * A single key has its own statement: PostgreSQL reuses its plan, but replans the one with a list on each execution, because it
 * expects more keys than come.
 */
function byKeys(db: Database, include: Include) {
  const prepare = (isOwner: SQL) =>
    db
      .select({
        ...columns(include, customers.id),
        liveSecrets,
        apiKey: customers.apiKey,
      })
      .from(customers)
      .innerJoin(cities, eq(cities.id, customers.cityId))
      .where(isOwner)
      // The driver ignores the name.
      .prepare('principal_by_keys');
  return {
    one: prepare(eq(customers.apiKey, sql.placeholder('apiKey'))),
    any: prepare(sql`${customers.apiKey} = any(${sql.placeholder('apiKeys')}::text[])`),
  };
}

const id = sql`${sql.placeholder('id')}::bigint`;

function byId(db: Database, include: Include) {
  return db
    .select(columns(include, id))
    .from(customers)
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(eq(customers.id, id))
    .prepare('principal_by_id');
}

function recordById(db: Database) {
  return db
    .select({ ...columns('record', id), ...recordColumns(id) })
    .from(customers)
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(eq(customers.id, id))
    .prepare('record_by_id');
}

/** More at once would hold up the event loop when the statement ends. */
const keysMax = 64;

/**
 * Reads the customers of the keys of all requests of a turn of the event loop in one statement.
 * @param now selects the month of the balance
 */
export function createKeyReads(db: Database, now = () => new Date()) {
  const owners = byKeys(db, 'nothing');
  const batchesOf = (include: Include) => {
    const statements = byKeys(db, include);
    const rest = byId(db, include);
    const read = async (apiKeys: string[], at: string) => {
      const keys = apiKeys.length === 1 ? 'one' : 'any';
      const values = { apiKey: apiKeys[0], apiKeys: textArray(apiKeys), at };
      if (include === 'nothing' || !(await isDistributed(db))) return statements[keys].execute(values);
      // Citus does not join customers that have any of the keys with rows of distributed tables.
      const found = await owners[keys].execute(values);
      return Promise.all(
        found.map(async (row) => ({ ...row, ...(await rest.execute({ id: row.customerId, at }))[0] })),
      );
    };
    const run = async (apiKeys: string[]) => {
      // PostgreSQL cannot store a text with a zero byte.
      const storable = new Set(apiKeys.filter((key) => !key.includes('\0')));
      const rows = await read([...storable], now().toISOString());
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
  const record = recordById(db);
  return {
    /**
     * The customer of an API key with the hashes of the valid secrets, which the caller has to check.
     * @param network takes turns with the others
     * @param options.isOverloadExempt whether it waits as long as the database may take, even behind many others
     */
    find: (include: Include, apiKey: string, network?: string, options?: { isOverloadExempt: boolean }) =>
      batches[include].add(apiKey, network, options),
    findRecord: async (id: number) => (await record.execute({ id }))[0],
    waitingCount: () => Object.values(batches).reduce((sum, { waitingCount }) => sum + waitingCount(), 0),
  };
}

/** An array literal. */
function textArray(texts: string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
