import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from '@redis/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { testDatabase } from '#tools/testing/database.ts';
import { unusedPort } from '#tools/testing/listen.ts';
import { temporaryFolder } from '#tools/testing/processes.ts';
import { expectSharedQuota, startQuotaProcesses } from '#tools/testing/quota-processes.ts';
import { refusalOfRequest } from './rate-limits.ts';

const database = await testDatabase();
const start = (store: string) => startQuotaProcesses(database, store);
const folder = await temporaryFolder('redis');
const port = await unusedPort();
const url = `redis://:secret@127.0.0.1:${port}/1`;
/** Of customers that no other test has counted. */
let id = 1_000;

let redis: ChildProcess;

/** Debian's redis-server. */
async function startRedis(): Promise<void> {
  const options = { port, bind: '127.0.0.1', requirepass: 'secret', save: '', dir: folder.path };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`]);
  redis = spawn('redis-server', args, { stdio: 'ignore' });
  await vi.waitFor(() => command('PING'), { timeout: 15_000 });
}

async function command(...parts: string[]): Promise<unknown> {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => {});
  await client.connect();
  return client.sendCommand(parts).finally(() => client.destroy());
}

async function killRedis(): Promise<void> {
  const exited = once(redis, 'exit');
  redis.kill('SIGKILL');
  await exited;
}

beforeAll(startRedis);
afterAll(async () => {
  await killRedis();
  await folder.remove();
});

test('QUOTA_STORE=redis://…: processes count requests and sign-ins together', async () => {
  await expectSharedQuota(start(url));
  expect(await command('KEYS', '*')).toContain('scheduling:requests:1');
});

test.each<[string, () => unknown, () => unknown]>([
  ['killed', killRedis, startRedis],
  ['silent', () => redis.kill('SIGSTOP'), () => redis.kill('SIGCONT')],
  [
    'full',
    () => command('CONFIG', 'SET', 'maxmemory', '1'),
    () => command('CONFIG', 'SET', 'maxmemory', '0'),
  ],
  ['read-only', () => command('REPLICAOF', '127.0.0.1', '1'), () => command('REPLICAOF', 'NO', 'ONE')],
])(
  'QUOTA_STORE=redis://…: while Redis is %s, each process counts by itself, and then together again',
  async (_, fail, recover) => {
    const { remaining, outages, fallbacks } = start(url);
    id += 2;
    expect(await remaining(id)).toEqual([9, 8]);
    await fail();
    try {
      for (let n = 0; n < 10; n++) expect(await remaining(id)).toEqual([9 - n, 9 - n]);
      expect([await remaining(id), fallbacks()]).toEqual([[-1, -1], 22]);
      expect(outages()).toEqual({ begun: 2, ended: 0 });
    } finally {
      await recover();
    }
    await expect.poll(outages).toEqual({ begun: 2, ended: 2 });
    expect([await remaining(id + 1), fallbacks()]).toEqual([[9, 8], 22]);
  },
);

test.each([
  ['that the clock has extended by being set back', ['PEXPIRE', '3660000']],
  ['that has lost its end', ['PERSIST']],
] as const)('QUOTA_STORE=redis://…: a window %s is over', async (_, [name, ...parameters]) => {
  const { first, remaining } = start(url);
  id += 2;
  for (let n = 0; n < 5; n++) await remaining(id);
  expect(await refusalOfRequest(first, id)).toMatchObject({ code: 'too_many_requests' });
  await command(name, `scheduling:requests:${id}`, ...parameters);
  expect(await refusalOfRequest(first, id)).toBeNull();
  expect(await remaining(id)).toEqual([9, 8]);
  expect(await command('PTTL', `scheduling:requests:${id}`)).toBeLessThanOrEqual(60_000);
});

test('QUOTA_STORE=redis://…: a process starts without Redis, and uses it once it is there', async () => {
  await killRedis();
  const { remaining, outages } = start(url);
  id += 2;
  expect(await remaining(id)).toEqual([9, 9]);
  await startRedis();
  await expect.poll(outages).toEqual({ begun: 2, ended: 2 });
  expect(await remaining(id + 1)).toEqual([9, 8]);
});

test('QUOTA_STORE=redis://…: with a wrong password, each process counts by itself', async () => {
  const { remaining, outages } = start(url.replace('secret', 'wrong'));
  expect(await remaining(1)).toEqual([9, 9]);
  expect(outages()).toEqual({ begun: 2, ended: 0 });
});

test('QUOTA_STORE=redis://…: a process that stops keeps no connection', async () => {
  const { remaining, close } = start(url);
  await remaining(1);
  const connections = async () =>
    String(await command('CLIENT', 'LIST'))
      .trim()
      .split('\n').length;
  expect(await connections()).toBe(3);
  close();
  await expect.poll(connections).toBe(1);
});
