import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, inject } from 'vitest';
import { type Database, openPool, type Pool } from '#db/client.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URLs of the template, as the owner and as the application. */
    templateUrls: { ownerUrl: string; appUrl: string };
  }
}

export type TestDatabase = {
  db: Database;
  /** The same database in plain SQL, as the application's role. */
  sql: postgres.Sql;
  url: string;
  ownerUrl: string;
};

let current: Promise<TestDatabase> | undefined;

/** @returns the test file's own migrated database, which is dropped after its last test */
export function testDatabase(): Promise<TestDatabase> {
  current ??= cloneTemplate();
  return current;
}

async function cloneTemplate(): Promise<TestDatabase> {
  const template = inject('templateUrls');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = withDatabase(template.appUrl, name);
  const admin = postgres(withDatabase(template.ownerUrl, 'postgres'), { max: 1, onnotice: () => {} });
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${new URL(template.ownerUrl).pathname.slice(1)}`);
  const connection: Pool = openPool(url);
  const sql = postgres(url, { max: 4, onnotice: () => {} });
  afterAll(async () => {
    await Promise.all([connection.close(), sql.end({ timeout: 5 })]);
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
  return { db: connection.db, sql, url, ownerUrl: withDatabase(template.ownerUrl, name) };
}

function withDatabase(address: string, name: string): string {
  const url = new URL(address);
  url.pathname = `/${name}`;
  return url.href;
}
