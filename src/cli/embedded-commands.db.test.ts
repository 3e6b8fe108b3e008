import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import postgres from 'postgres';
import { afterAll, expect, test } from 'vitest';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { prepareInstallation } from '#db/embedded/installation.ts';
import { waitForLock } from '#db/embedded/lock.ts';
import { holdInstanceLock } from '#db/instance-lock.ts';
import { migrate } from '#db/migrate.ts';
import { temporaryFolder } from '#tools/testing/processes.ts';
import { operatorOn } from './testing.ts';

const folder = await temporaryFolder('embedded-commands');
const DATA_DIR = path.join(folder.path, 'data');
const database = await openEmbeddedDatabase(DATA_DIR, 'fast');
await migrate(database.ownerUrl);
const sql = postgres(database.ownerUrl, { max: 2, onnotice: () => {} });
const operator = operatorOn({ operatorUrl: '' }, { DATA_DIR });
afterAll(async () => {
  await sql.end();
  await database.release();
  await folder.remove();
});

test('a command prints what it did before it releases the database, which can take minutes', async () => {
  const { home } = await prepareInstallation(DATA_DIR);
  const command = operator.start(['customer list']);
  const output = text(command.stdout ?? process.stdin);
  const starting = await sql.begin(async (tx) => {
    await tx`lock table customers`;
    const waiting = () => sql`select from pg_locks where not granted and relation = 'customers'::regclass`;
    await expect.poll(async () => (await waiting()).length).toBe(1);
    return waitForLock(path.join(home, 'start.lock'), 'exclusive', 10_000, 'It is busy.');
  });
  await once(command.stdout ?? process.stdin, 'data');
  expect(command.exitCode).toBeNull();
  starting.release();
  expect(await output).toContain('username');
});

test('a command does not migrate the database while the service of an earlier release runs', async () => {
  const functions = () => sql`select from schema_migrations where name like 'functions_%'`;
  const service = holdInstanceLock(database.webUrl);
  await expect.poll(service.instanceId).not.toBeNull();
  await sql`delete from schema_migrations where name like 'functions_%'`;
  const { code, stderr } = await operator.run('customer list');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('The service of an earlier release is running'),
  ]);
  expect(await functions()).toHaveLength(0);
  await service.close();
  expect((await operator.run('customer list')).code).toBe(0);
  expect(await functions()).toHaveLength(1);
});
