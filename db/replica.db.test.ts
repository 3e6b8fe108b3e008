import postgres from 'postgres';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type DatabasePair, startDatabasePair } from '#tools/testing/database-pair.ts';
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

beforeAll(async () => {
  pair = await startDatabasePair();
  const urls = [pair.primary, pair.standby];
  servers = urls.map(({ webUrl }, index) => followServer(webUrl, index === 0 ? 'primary' : 'standby'));
  pools = servers.map((server) => openPool(server, { connectionsMax: 2, statementTimeoutMs: 2_000 }));
  admins = urls.map(({ ownerUrl }) => postgres(ownerUrl, { max: 1, onnotice: () => {} }));
  await admins[0]?.unsafe(`alter system set synchronous_standby_names = ''`);
  await admins[0]?.unsafe('select pg_reload_conf()');
  const [primary, standby] = servers as [Server, Server];
  const [primaryPool, replicaPool] = pools as [Pool, Pool];
  replica = followReplica({ primary, replica: standby, primaryPool, replicaPool, lagMaxMs, onChange });
});
afterAll(async () => {
  replica.close();
  await Promise.all([...pools, ...servers].map((open) => open.close()));
  await Promise.all(admins.map((admin) => admin.end({ timeout: 1 })));
  await pair.close();
});

const isFromReplica = () =>
  replica.read(async (db) => {
    const [row] = await db.execute<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"');
    return row?.isStandby;
  });
const write = () => admins[0]?.unsafe("select pg_logical_emit_message(true, 'test', 'a write')");

test('reads come from the replica while it is at most as old as allowed, else from the primary', async () => {
  await expect.poll(isFromReplica).toBe(true);
  expect(onChange.mock.calls).toEqual([[true]]);
  await admins[1]?.unsafe('select pg_wal_replay_pause()');
  await write();
  await expect.poll(isFromReplica).toBe(false);
  await admins[1]?.unsafe('select pg_wal_replay_resume()');
  await expect.poll(isFromReplica).toBe(true);
});

test('a read that fails on the replica is repeated on the primary', async () => {
  await expect.poll(isFromReplica).toBe(true);
  const run = vi.fn(async (db: Pool['db']) => {
    const [row] = await db.execute<{ text: string }>(
      `select case when pg_is_in_recovery() then (1 / (random() * 0)::int)::text else 'primary' end as text`,
    );
    return row?.text;
  });
  expect(await replica.read(run)).toBe('primary');
  expect(run).toHaveBeenCalledTimes(2);
});

test('a read that takes too long on the replica is not repeated on the primary', async () => {
  await expect.poll(isFromReplica).toBe(true);
  const run = vi.fn((db: Pool['db']) => db.execute('select pg_sleep(3)'));
  await expect(replica.read(run)).rejects.toMatchObject({ cause: { code: '57014' } });
  expect(run).toHaveBeenCalledTimes(1);
});

test('a replica that was promoted is not used', async () => {
  await expect.poll(isFromReplica).toBe(true);
  await pair.promoteStandby();
  await expect.poll(async () => onChange.mock.lastCall).toEqual([false]);
  expect(await isFromReplica()).toBe(false);
});
