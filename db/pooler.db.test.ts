import { afterAll, expect, test } from 'vitest';
import { checkDatabase } from '#src/server/database.ts';
import { readSettings } from '#src/settings.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { testSessionSecret as SESSION_SECRET } from '#tools/testing/settings.ts';
import { startPooler } from '#tools/testing/standby-and-pooler.ts';
import { openPool, type Pool } from './client.ts';
import { refuseWrongPooler } from './pooler.ts';

const database = await testDatabase();
const name = new URL(database.url).pathname.slice(1);
const pools: Pool[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

const check = (url: string, isPooled: boolean) => {
  const limits = { connectionsMax: 3, statementTimeoutMs: 4_000, isPooled };
  const pool = openPool(url, limits);
  pools.push(pool);
  return refuseWrongPooler(pool, limits).then(() => pool);
};

test('a direct connection has a statement timeout, and is accepted', async () => {
  const { db } = await check(database.url, false);
  expect(await db.execute('show statement_timeout')).toMatchObject([{ statement_timeout: '4s' }]);
});

test('a start without DATABASE_POOLER is refused when something else than PostgreSQL accepts the connections', async () => {
  const pooler = await startPooler(database.url);
  await expect(check(pooler.url.href, false)).rejects.toThrow('Set DATABASE_POOLER=transaction');
  await pooler.close();
});

test('a start checks the replica too, if it can be reached', async () => {
  const pooler = await startPooler(database.url);
  const start = (DATABASE_REPLICA_URL: string) => {
    const env = { DATABASE_URL: database.url, DATABASE_REPLICA_URL, SESSION_SECRET, PAYMENTS: 'sandbox' };
    return checkDatabase(readSettings(env));
  };
  await expect(start(pooler.url.href)).rejects.toThrow('DATABASE_REPLICA_URL leads to a connection pooler');
  await pooler.close();
  await start(pooler.url.href);
});

test('DATABASE_POOLER=transaction: needs a timeout of the role, and prepares nothing', async () => {
  await expect(check(database.url, true)).rejects.toThrow('ALTER ROLE scheduling_web SET statement_timeout');
  await database.sql.unsafe(`alter role scheduling_web in database ${name} set statement_timeout = '5s'`);
  await expect(check(database.url, true)).rejects.toThrow("statement_timeout = '4000ms'");
  await database.sql.unsafe(`alter role scheduling_web in database ${name} set statement_timeout = '4s'`);
  const { db } = await check(database.url, true);
  expect([...(await db.execute('select name from pg_prepared_statements'))]).toEqual([]);
});
