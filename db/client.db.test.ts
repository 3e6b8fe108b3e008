import { expect, test } from 'vitest';
import { startProxy } from '#src/cards/tests/crash/proxy.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { openPool } from './client.ts';
import { holdInstanceLock } from './instance-lock.ts';

const { url } = await testDatabase();

/** A server that stops at a message of its clients. */
async function stoppingServer(message: number) {
  const address = new URL(url);
  let passed = 0;
  const wire = await startProxy('database', { host: address.hostname, port: Number(address.port) }, () => {
    if (passed++ === message) void wire.close();
    return true;
  });
  address.port = String(wire.port);
  return { url: address.href, hasStopped: () => passed > message };
}

// An unhandled rejection fails the run. In the service, it would end the process.
test('openPool: a database that stops at any message makes statements fail, and nothing else', async () => {
  for (let message = 0; message < 12; message++) {
    const server = await stoppingServer(message);
    const { db } = openPool(server.url, { connectionsMax: 1 });
    while (!server.hasStopped()) await db.execute('select 1').catch(() => {});
    await expect(db.execute('select 1')).rejects.toThrow();
  }
});

test('instance lock: a database that stops at any message makes it lost, and nothing else', async () => {
  for (let message = 0; message < 7; message++) {
    const server = await stoppingServer(message);
    const lock = holdInstanceLock(server.url);
    await expect.poll(server.hasStopped).toBe(true);
    await expect.poll(lock.instanceId).toBeNull();
    await lock.close();
  }
});
