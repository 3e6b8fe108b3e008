import { readFile } from 'node:fs/promises';
import { cpus, release, totalmem, type } from 'node:os';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { connect } from '#db/client.ts';
import type { Place } from './environment.ts';

const packages = ['next', 'fastify', 'postgres', 'drizzle-orm', 'autocannon'];

/** What everything runs on, in a sentence or two. */
export async function machine({ databaseUrl }: Place): Promise<string> {
  const { db, close } = connect(databaseUrl, 1);
  const [row] = await db.execute<{ version: string }>(
    sql`select current_setting('server_version') as version`,
  );
  await close();
  const versions = await Promise.all(packages.map(async (name) => `${name} ${await versionOf(name)}`));
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${cpus()[0]?.model.trim()}, ${memoryGib} GiB, ${type()} ${release()}, shared by the service, PostgreSQL and the callers.
Node ${process.version}, PostgreSQL ${row?.version}, ${versions.join(', ')}`;
}

async function versionOf(name: string): Promise<string> {
  const file = path.join(import.meta.dirname, '..', '..', 'node_modules', name, 'package.json');
  return JSON.parse(await readFile(file, 'utf8')).version;
}
