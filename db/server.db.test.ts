import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { afterEach, expect, test } from 'vitest';
import { createReadiness } from '#src/api/readiness.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { listen } from '#tools/testing/listen.ts';
import { startProxy } from '#tools/testing/proxy.ts';
import { openPool, type Pool } from './client.ts';
import { DatabaseBusyError } from './errors.ts';
import { holdInstanceLock, instanceLocks } from './instance-lock.ts';
import { followServer, openClient, type Server } from './server.ts';

const database = await testDatabase();
const { pathname } = new URL(database.url);
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

function follow(url = database.url, isPooled = false): Server {
  const server = followServer(url, 'primary', isPooled);
  closers.push(server.close);
  return server;
}

/** Looks for the server, and finds it again. */
async function replaceConnections(server: Server): Promise<void> {
  server.suspect(server.generation());
  await server.ready();
}

const state = { isStandby: false, isReadOnly: false, isCommitStalled: false };
const nothing = async () => {};
const isSearching = (server: Server) => server.ready() !== undefined;

test('check: two at once share one connection, also after the connections were replaced', async () => {
  const server = follow();
  const pidOf = async (client: Sql) => (await client.unsafe('select pg_backend_pid() as pid'))[0]?.pid;
  for (let generation = 0; generation < 2; generation += 1) {
    const pids: unknown[] = [];
    const check = () => server.check(async (client) => pids.push(await pidOf(client)));
    expect(await Promise.all([check(), check()])).toEqual([state, state]);
    expect(new Set(pids).size).toBe(1);
    await replaceConnections(server);
  }
});

test('check: what is slow besides the state does not start a search for the server', async () => {
  const server = follow();
  await expect(server.check((client) => client.unsafe('select pg_sleep(60)'))).rejects.toThrow('in time');
  expect(isSearching(server)).toBe(false);
});

test('readiness: a pool with a full queue does not start a search for the server', async () => {
  const server = follow();
  const check = () => Promise.reject(new DatabaseBusyError('Too many statements are waiting.'));
  const readiness = createReadiness(server, [{ check } as Partial<Pool> as Pool]);
  await expect(readiness()).rejects.toThrow('Too many statements');
  await server.check(nothing);
  expect([isSearching(server), server.generation()]).toEqual([false, 0]);
});

test.each([
  [false, true],
  [true, false],
])(
  'check: a silent server, behind a pooler %s: two checks start a search %s',
  async (isPooled, isSearched) => {
    const proxy = await startProxy('database', new URL(database.url), ({ what }) => what === 'connect');
    closers.push(proxy.close);
    const server = follow(proxy.url.href, isPooled);
    const [first, second] = await Promise.allSettled([
      server.check(nothing),
      setTimeout(100).then(() => server.check(nothing)),
    ]);
    expect(first).toMatchObject({ reason: { message: expect.stringContaining('in time') } });
    expect(second.status).toBe('rejected');
    const searching = server.ready();
    expect(searching !== undefined).toBe(isSearched);
    await searching?.catch(() => {});
  },
);

test('a server without a free connection stays in use over the open connections', async () => {
  const server = follow();
  const pool = openPool(server, { connectionsMax: 1 });
  closers.push(pool.close);
  await pool.db.execute('select 1');
  const name = pathname.slice(1);
  await database.sql.unsafe(`alter database ${name} connection limit 0`);
  closers.push(() => database.sql.unsafe(`alter database ${name} connection limit -1`));
  await replaceConnections(server);
  expect(await pool.db.execute('select 1 as one')).toMatchObject([{ one: 1 }]);
  await expect(follow().check(nothing)).rejects.toMatchObject({ code: '53300' });
});

test('instance lock: is null at once when connections were replaced, and then held again', async () => {
  const server = follow();
  const lock = holdInstanceLock(server);
  closers.push(lock.close);
  await expect.poll(lock.instanceId).not.toBeNull();
  const before = lock.instanceId();
  await replaceConnections(server);
  expect(lock.instanceId()).toBeNull();
  await expect.poll(lock.instanceId).not.toBeNull();
  expect(lock.instanceId()).not.toBe(before);
  const held = () => database.sql.unsafe(`select objid::int as id from pg_locks where ${instanceLocks}`);
  await expect.poll(held).toEqual([{ id: lock.instanceId() }]);
});

/** Until after the first statement. */
const messages = Array.from({ length: 12 }, (_, message) => message);

// An unhandled error fails the run. It would end a command without its message.
test.each(messages)(
  'openClient: statements fail when the connection is reset at message %d',
  async (message) => {
    let passed = 0;
    const wire = await startProxy('database', new URL(database.url), () => {
      if (passed++ === message) wire.reset();
      return true;
    });
    closers.push(wire.close);
    const statements = async () => {
      const client = await openClient(wire.url.href);
      for (;;) await client`select 1`;
    };
    await expect(statements()).rejects.toThrow();
  },
);

test('openClient: fails when its connections are ended again and again, as by a proxy without a server', async () => {
  const proxy = createServer((socket) => socket.on('error', () => {}).end());
  closers.push(async () => proxy.close());
  const url = Object.assign(new URL(database.url), { host: `127.0.0.1:${await listen(proxy)}` });
  await expect(openClient(url.href, { connect_timeout: 0.2 })).rejects.toThrow(DatabaseBusyError);
});
