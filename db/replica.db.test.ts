import { readFile } from 'node:fs/promises';
import path from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createServices } from '#src/api/services.ts';
import { readSettings } from '#src/settings.ts';
import { temporaryFolder } from '#tools/testing/processes.ts';
import { testSessionSecret } from '#tools/testing/settings.ts';
import { type DatabasePair, startDatabasePair, startPooler } from '#tools/testing/standby-and-pooler.ts';
import { openPool, type Pool } from './client.ts';
import { followReplica, type Replica } from './replica.ts';
import { followServer, type Server } from './server.ts';

const lagMaxMs = 2_500;
let pair: DatabasePair;
let servers: Server[] = [];
let pools: Pool[] = [];
let replica: Replica;
let admins: postgres.Sql[] = [];
const onChange = vi.fn();
let probeError: Error | undefined = new Error('A pooler is in between.');
const probe = vi.fn(async () => {
  if (probeError) throw probeError;
});

beforeAll(async () => {
  pair = await startDatabasePair();
  const urls = [pair.primary, pair.standby];
  servers = urls.map(({ webUrl }, index) => followServer(webUrl, index === 0 ? 'primary' : 'standby'));
  pools = servers.map((server) =>
    openPool(server, { connectionsMax: 2, statementTimeoutMs: 2_000 }, { isIdleWatched: true }),
  );
  admins = urls.map(({ ownerUrl }) => postgres(ownerUrl, { max: 1, onnotice: () => {} }));
  await admins[0]?.unsafe(`alter system set synchronous_standby_names = ''`);
  await admins[0]?.unsafe('select pg_reload_conf()');
  const [primary, standby] = servers as [Server, Server];
  const [primaryPool, replicaPool] = pools as [Pool, Pool];
  replica = followReplica({ primary, replica: standby, primaryPool, replicaPool, probe, lagMaxMs, onChange });
});
afterAll(async () => {
  replica.close();
  await Promise.all([...pools, ...servers].map((open) => open.close()));
  await Promise.all(admins.map((admin) => admin.end({ timeout: 1 })));
  await pair.close();
});

const isFromReplica = ({ read }: Pick<Replica, 'read'> = replica) =>
  read(async (db) => {
    const [row] = await db.execute<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"');
    return row?.isStandby;
  });
const write = () => admins[0]?.unsafe("select pg_logical_emit_message(true, 'test', 'a write')");

test('the pool is not used before its probe has succeeded', async () => {
  await expect.poll(() => probe.mock.calls.length).toBeGreaterThan(1);
  expect(await isFromReplica()).toBe(false);
  expect(onChange.mock.calls).toEqual([[false, probeError]]);
  probeError = undefined;
  await expect.poll(() => isFromReplica()).toBe(true);
  await expect.poll(() => onChange.mock.lastCall).toEqual([true, undefined]);
  probe.mockClear();
});

test('reads come from the replica while it is at most as old as allowed, else from the primary', async () => {
  await expect.poll(() => isFromReplica()).toBe(true);
  await admins[1]?.unsafe('select pg_wal_replay_pause()');
  await write();
  await expect.poll(() => isFromReplica()).toBe(false);
  await admins[1]?.unsafe('select pg_wal_replay_resume()');
  await expect.poll(() => isFromReplica()).toBe(true);
});

test('a read that fails on the replica is repeated on the primary', async () => {
  const run = vi.fn(async (db: Pool['db']) => {
    const [row] = await db.execute<{ text: string }>(
      `select case when pg_is_in_recovery() then (1 / (random() * 0)::int)::text else 'primary' end as text`,
    );
    return row?.text;
  });
  const readCount = async () => {
    run.mockClear();
    expect(await replica.read(run)).toBe('primary');
    return run.mock.calls.length;
  };
  // Once while the replica is too old, as on a busy machine.
  await expect.poll(readCount).toBe(2);
});

test('a read that takes too long on the replica is not repeated on the primary', async () => {
  await expect.poll(() => isFromReplica()).toBe(true);
  const run = vi.fn((db: Pool['db']) => db.execute('select pg_sleep(3)'));
  await expect(replica.read(run)).rejects.toMatchObject({ cause: { code: '57014' } });
  expect(run).toHaveBeenCalledTimes(1);
});

test('connections that replace lost ones are probed before they are used', async () => {
  await expect.poll(() => isFromReplica()).toBe(true);
  const generation = servers[1]?.generation() ?? 0;
  const isReplaced = await replica.read(async (_db, isReplaced) => isReplaced);
  expect(isReplaced()).toBe(false);
  probe.mockClear();
  probeError = new Error('A pooler is in between.');
  // Without a read in between, nothing but the close says that they are lost.
  await admins[1]?.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity
    where usename = 'scheduling_web' and pid <> pg_backend_pid()`);
  await expect.poll(() => servers[1]?.generation()).toBeGreaterThan(generation);
  expect(isReplaced()).toBe(true);
  expect(await isFromReplica()).toBe(false);
  await expect.poll(() => probe.mock.calls.length).toBeGreaterThan(0);
  expect(await isFromReplica()).toBe(false);
  probeError = undefined;
  await expect.poll(() => isFromReplica()).toBe(true);
});

test('a pooler that is in between, but was not there at the start, is not used without DATABASE_POOLER', async () => {
  const folder = await temporaryFolder('log of a replica');
  const pooler = await startPooler(pair.standby.webUrl);
  const LOG_FILE = path.join(folder.path, 'service.log');
  const { replicaReads, close } = createServices(
    readSettings({
      DATABASE_URL: pair.primary.webUrl,
      DATABASE_REPLICA_URL: pooler.url.href,
      SESSION_SECRET: testSessionSecret,
      PAYMENTS: 'sandbox',
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
      LOG_FILE,
    }),
  );
  await expect
    .poll(() => readFile(LOG_FILE, 'utf8'))
    .toContain('DATABASE_REPLICA_URL leads to a connection pooler');
  expect(await isFromReplica(replicaReads)).toBe(false);
  await close();
  await pooler.close();
  await folder.remove();
});

test('a replica that was promoted is not used', async () => {
  await expect.poll(() => isFromReplica()).toBe(true);
  await pair.promoteStandby();
  await expect.poll(async () => onChange.mock.lastCall).toEqual([false, undefined]);
  expect(await isFromReplica()).toBe(false);
});
