import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import { checkout } from '#tools/checkout.ts';
import { makeCitusDatabase } from './citus.ts';
import { inDatabase, withClient } from './connections.ts';
import { lastingFolder } from './processes.ts';

/**
 * Starts a database server for the tests, with the template that their databases are cloned from. Its files stay in the
 * system's temporary folder, one per checkout, so that the next run starts faster.
 * @returns a function that stops it
 */
export default async function startTestServer(project: TestProject): Promise<() => Promise<void>> {
  if (process.env.CITUS_URL) {
    const { release, ...urls } = await makeCitusDatabase(process.env.CITUS_URL);
    project.provide('templateUrls', urls);
    return release;
  }
  const folder = testDataDir();
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const server = await openEmbeddedDatabase(folder, 'fast');
  const name = `template_${await migrationsHash()}`;
  await makeTemplate(server, name);
  project.provide('templateUrls', {
    ownerUrl: inDatabase(server.ownerUrl, name),
    webUrl: inDatabase(server.webUrl, name),
    operatorUrl: inDatabase(server.operatorUrl, name),
    workerUrls: [],
  });
  return () => server.release();
}

export function testDataDir(): string {
  return process.env.TEST_DATA_DIR || lastingFolder('tests');
}

async function makeTemplate(server: { ownerUrl: string }, name: string): Promise<void> {
  await withClient(inDatabase(server.ownerUrl, 'postgres'), async (admin) => {
    // Another run may create it at the same time, which fails.
    await admin`SELECT pg_advisory_lock(1)`;
    await admin`CREATE EXTENSION IF NOT EXISTS pg_stat_statements`;
    await admin`SELECT pg_advisory_unlock(1)`;
    const found = await admin`SELECT 1 FROM pg_database WHERE datname = ${name}`;
    if (found.length > 0) return;
    const unfinished = `unfinished_${randomBytes(6).toString('hex')}`;
    await admin.unsafe(`CREATE DATABASE ${unfinished}`);
    await migrate(inDatabase(server.ownerUrl, unfinished));
    // Another run can have created the template first.
    await admin.unsafe(`ALTER DATABASE ${unfinished} RENAME TO ${name}`).catch(async () => {
      await admin.unsafe(`DROP DATABASE ${unfinished}`);
    });
  });
}

async function migrationsHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of ['db/migrate.ts', 'db/schema-version.ts', 'db/roles.sql'])
    hash.update(await readFile(path.join(checkout, file)));
  for (const folder of ['drizzle', 'drizzle/meta', 'db/functions'].map((name) => path.join(checkout, name))) {
    for (const name of (await readdir(folder)).filter((file) => /\.(sql|json)$/.test(file)).sort()) {
      hash.update(name).update(await readFile(path.join(folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
