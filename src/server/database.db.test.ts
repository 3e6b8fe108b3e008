import { connect, createServer } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';
import { readSettings } from '#src/settings.ts';
import { inDatabase, withParts } from '#tools/testing/connections.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { listen } from '#tools/testing/listen.ts';
import { testSessionSecret } from '#tools/testing/settings.ts';
import { waitForDatabase } from './database.ts';

const { url, sql } = await testDatabase();
const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

/** PostgreSQL's response while it starts: severity, SQLSTATE, and message. */
const starting = Buffer.from('SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0');

/** @returns the address of a server that starts up for the first connection, and then leads to the test database */
async function startingServer() {
  let connections = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (++connections === 1) {
      const head = Buffer.from([69, 0, 0, 0, 0]);
      head.writeUInt32BE(starting.length + 4, 1);
      socket.end(Buffer.concat([head, starting]));
      return;
    }
    const { hostname, port } = new URL(url);
    const upstream = connect(Number(port), hostname);
    upstream.on('error', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  closers.push(() => server.close());
  const address = Object.assign(new URL(url), { port: await listen(server) });
  return { url: address.href, connections: () => connections };
}

/** @returns the address of a server that accepts connections and then responds to no statement, as a pooler without its database */
async function silentServer() {
  const { hostname, port } = new URL(url);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    const upstream = connect(Number(port), hostname).on('error', () => {});
    upstream.pipe(socket);
    // Everything but the messages Parse and Query.
    socket.on('data', (data) => !'PQ'.includes(String.fromCharCode(data[0] ?? 0)) && upstream.write(data));
    socket.on('close', () => upstream.destroy());
  });
  closers.push(() => server.close());
  return Object.assign(new URL(url), { port: await listen(server) }).href;
}

const settingsFor = (DATABASE_URL: string, DATABASE_WAIT_SECONDS: string) =>
  readSettings({
    DATABASE_URL,
    DATABASE_WAIT_SECONDS,
    PAYMENTS: 'sandbox',
    SESSION_SECRET: testSessionSecret,
  });

test('start: waits for a database that is starting', async () => {
  const server = await startingServer();
  await waitForDatabase(settingsFor(server.url, '30'), new AbortController().signal);
  expect(server.connections()).toBe(2);
});

test('start: waits for a database that accepts no writes, such as a standby', async () => {
  const name = new URL(url).pathname.slice(1);
  const session = await sql.reserve();
  await session.unsafe(`alter database ${name} set default_transaction_read_only = on`);
  const printed = vi.spyOn(process.stderr, 'write');
  const waiting = waitForDatabase(settingsFor(url, '3600'), new AbortController().signal);
  const reason = expect.stringContaining('(it accepts no writes)');
  await expect.poll(() => printed).toHaveBeenCalledWith(reason);
  await session.unsafe(`alter database ${name} reset default_transaction_read_only`);
  session.release();
  await waiting;
});

test('start: does not wait with DATABASE_WAIT_SECONDS=0, or for what waiting does not change', async () => {
  const server = await startingServer();
  await waitForDatabase(settingsFor(server.url, '0'), new AbortController().signal);
  expect(server.connections()).toBe(0);
  const unknown = inDatabase(url, 'unknown');
  await waitForDatabase(settingsFor(unknown, '3600'), new AbortController().signal);
  const refused = withParts(url, { password: 'wrong' });
  await waitForDatabase(settingsFor(refused, '3600'), new AbortController().signal);
});

test('start: stops waiting for a database that accepts connections but does not respond', async () => {
  await waitForDatabase(settingsFor(await silentServer(), '1'), new AbortController().signal);
});
