import { expect, test } from 'vitest';
import { testDatabase } from '#tools/testing/database.ts';
import { unusedPort } from '#tools/testing/listen.ts';
import { startProxy } from '#tools/testing/proxy.ts';
import { openPool } from './client.ts';
import { holdInstanceLock } from './instance-lock.ts';

const { url, ownerUrl, sql } = await testDatabase();
const name = new URL(url).pathname.slice(1);

/** A server that stops at a message of its clients, or ends their connections as a restart does. */
async function failingServer(message: number, isRestarted: boolean, target = url) {
  let passed = 0;
  const wire = await startProxy('database', new URL(target), () => {
    if (passed++ === message) isRestarted ? wire.cut() : void wire.close();
    return true;
  });
  return { url: wire.url.href, hasFailed: () => passed > message };
}

const messages = Array.from({ length: 12 }, (_, message) => message);

// An unhandled error fails the run. In the service, it would end the process.
test.each(messages)('openPool: statements fail when the database stops at message %d', async (message) => {
  const server = await failingServer(message, false);
  const { db } = openPool(server.url, { connectionsMax: 1 });
  while (!server.hasFailed()) await db.execute('select 1').catch(() => {});
  await expect(db.execute('select 1')).rejects.toThrow();
});

const transactionMessages = Array.from({ length: 20 }, (_, message) => message);

test.each(transactionMessages)(
  'openPool: a transaction is stored as a whole or not at all when the database restarts at message %d',
  async (message) => {
    await sql`create table if not exists halves (message integer)`;
    const server = await failingServer(message, true, ownerUrl);
    const { db, close } = openPool(server.url, { connectionsMax: 1 });
    const half = `insert into halves values (${message})`;
    const stored = await db
      .transaction(async (tx) => {
        await tx.execute(half);
        await tx.execute('select 1').catch(() => {});
        await tx.execute(half);
      })
      .then(
        () => [2],
        () => [0, 2],
      );
    expect(stored).toContain((await sql`select from halves where message = ${message}`).count);
    if (!server.hasFailed()) expect(stored).toEqual([2]);
    await close();
  },
);

test('openPool: a transaction fails whose connection was lost between two statements', async () => {
  const { db, close } = openPool(ownerUrl, { connectionsMax: 1 });
  await sql`create table lost (half integer)`;
  const transaction = db.transaction(async (tx) => {
    await tx.execute('insert into lost values (1)');
    const [own] = await tx.execute<{ pid: number; application: string }>(
      "select pg_backend_pid() as pid, current_setting('application_name') as application",
    );
    expect(own?.application).toBe('scheduling');
    await sql`select pg_terminate_backend(${own?.pid ?? 0}, 5000)`;
    await tx.execute('insert into lost values (2)');
  });
  await expect(transaction).rejects.toThrow();
  expect((await sql`select from lost`).count).toBe(0);
  expect(await db.execute('select 1')).toHaveLength(1);
  await close();
});

test('openPool: a transaction fails when a statement has failed, although the caller went on', async () => {
  const { db, close } = openPool(ownerUrl, { connectionsMax: 1 });
  await sql`create table skipped (part integer primary key)`;
  const transaction = db.transaction(async (tx) => {
    await tx.execute('insert into skipped values (1)');
    await tx.execute('insert into skipped values (1)').catch(() => {});
  });
  await expect(transaction).rejects.toThrow('rolled back');
  expect((await sql`select from skipped`).count).toBe(0);
  await close();
});

test('openPool: all connections are open again soon after the database was down', async () => {
  // A port that no outgoing connection can take in the meantime.
  const down = await startProxy('database', new URL(url), undefined, await unusedPort());
  await down.close();
  const pool = openPool(down.url.href, { connectionsMax: 10, statementTimeoutMs: 5_000 });
  const statements = () =>
    Promise.allSettled(Array.from({ length: 10 }, () => pool.db.execute('select pg_sleep(0.1)')));
  expect((await statements()).map(({ status }) => status)).toEqual(Array(10).fill('rejected'));
  const up = await startProxy('database', new URL(url), undefined, Number(down.url.port));
  // Statements are refused until a search has found the server. The last search may have begun before it was up.
  await expect.poll(() => pool.db.execute('select 1').catch(() => null)).not.toBeNull();
  expect((await statements()).map(({ status }) => status)).toEqual(Array(10).fill('fulfilled'));
  await pool.close();
  await up.close();
});

test.each(messages.slice(0, 7))(
  'instance lock: is lost when the database stops at message %d',
  async (message) => {
    const server = await failingServer(message, false);
    const lock = holdInstanceLock(server.url);
    await expect.poll(() => server.hasFailed() || lock.instanceId() !== null).toBe(true);
    if (server.hasFailed()) await expect.poll(lock.instanceId).toBeNull();
    await lock.close();
  },
);

test.each(messages)(
  'instance lock: is held again after a restart of the database at message %d',
  async (message) => {
    const server = await failingServer(message, true);
    const lock = holdInstanceLock(server.url);
    await expect.poll(lock.instanceId).not.toBeNull();
    await lock.close();
  },
);

test('openPool: a statement that failed between rows does not affect the next one', async () => {
  const pool = openPool(url, { connectionsMax: 1, statementsPerConnectionMax: 2, statementTimeoutMs: 5_000 });
  try {
    const failed = pool.db.execute('select 1 / (3 - n) from generate_series(1, 4) n');
    const next = pool.db.execute<{ n: number }>('select n from generate_series(1, 3) n');
    await expect(failed).rejects.toThrow();
    expect((await next).map(({ n }) => n)).toEqual([1, 2, 3]);
  } finally {
    await pool.close();
  }
});

test('openPool: reads times and bytes the same way whatever the settings of the database are', async () => {
  await sql`alter database ${sql(name)} set datestyle = 'SQL, DMY'`;
  await sql`alter database ${sql(name)} set timezone = 'America/Los_Angeles'`;
  await sql`alter database ${sql(name)} set bytea_output = 'escape'`;
  const pool = openPool(url, { connectionsMax: 1, statementTimeoutMs: 5_000 });
  try {
    const rows = await pool.db.execute(
      "select timestamptz '2026-11-22 10:00Z' as at, '\\x00ff'::bytea as bytes",
    );
    expect([...rows]).toEqual([{ at: '2026-11-22 10:00:00+00', bytes: Buffer.from([0, 255]) }]);
  } finally {
    await pool.close();
    await sql`alter database ${sql(name)} reset all`;
  }
});

test('instance lock: is not ended by timeouts of the database', async () => {
  const watch = await sql.reserve();
  for (const timeout of ['transaction_timeout', 'idle_in_transaction_session_timeout', 'statement_timeout'])
    await watch`alter database ${sql(name)} set ${sql(timeout)} = '100ms'`;
  const lock = holdInstanceLock(url);
  try {
    await expect.poll(lock.instanceId).not.toBeNull();
    const id = lock.instanceId();
    // By PostgreSQL's clock, which ends transactions.
    await watch`select pg_sleep(0.5)`;
    expect(lock.instanceId()).toBe(id);
  } finally {
    await watch`alter database ${sql(name)} reset all`;
    watch.release();
    await lock.close();
  }
});
