import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { afterAll, afterEach, describe, expect, it, test } from 'vitest';
import manifest from '#package.json' with { type: 'json' };
import { checkDatabase } from '#src/server/database.ts';
import { readSettings } from '#src/settings.ts';
import { onPostgres } from '#tools/testing/citus.ts';
import { inDatabase, withClient, withParts } from '#tools/testing/connections.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { startProxy } from '#tools/testing/proxy.ts';
import { testSessionSecret } from '#tools/testing/settings.ts';
import { migrate } from './migrate.ts';
import * as schema from './schema.ts';
import { type Migration, numbersOf, refuseOtherSchema, tableMigrations } from './schema-version.ts';

const { ownerUrl, operatorUrl, url, sql, db, web } = await testDatabase();
const other = postgres(ownerUrl, { max: 1, onnotice: () => {} });
afterAll(() => other.end());

const later = (name: string, statement: string): Migration => ({
  name,
  hash: 'of a later release',
  statements: [statement],
});
const withLater = (migration: Migration) => ({ migrations: [...tableMigrations(), migration] });
const [major = 0, minor = 0, patch = 0] = numbersOf(manifest.version);
const tableExists = async (name: string) =>
  (await sql`SELECT to_regclass(${name}) IS NOT NULL AS yes`)[0]?.yes;

describe('migrate', () => {
  onPostgres('empty schema', () => {
    it('can run concurrently and repeatedly', async () => {
      await Promise.all([1, 2, 3, 4].map(() => migrate(ownerUrl)));
      await sql`DROP SCHEMA public CASCADE`;
      await sql`CREATE SCHEMA public`;
      await Promise.all([1, 2, 3, 4].map(() => migrate(ownerUrl)));
      expect(await sql`SELECT * FROM customers`).toEqual([]);
      // Tests of other files hold locks in their databases.
      const locks = await sql`SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = database
      WHERE locktype = 'advisory' AND datname = current_database()`;
      expect(locks).toEqual([]);
    });
  });

  it('works for an owner that is no superuser', async () => {
    const name = `owned_${new URL(ownerUrl).pathname.slice(1)}`;
    await sql.unsafe(`CREATE ROLE ${name} LOGIN PASSWORD 'secret'`);
    await sql.unsafe(`CREATE DATABASE ${name} OWNER ${name}`);
    const owned = withParts(ownerUrl, { username: name, password: 'secret', pathname: name });
    await migrate(owned);
    await migrate(owned);
    await withClient(inDatabase(url, name), (client) => refuseOtherSchema(drizzle(client, { schema })));
    await sql.unsafe(`DROP DATABASE ${name}`);
    await sql.unsafe(`DROP ROLE ${name}`);
  });

  it('creates functions that depend on no search path', async () => {
    const rows = await sql`
      SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosqlbody IS NULL
        AND NOT EXISTS (SELECT FROM unnest(proconfig) AS setting WHERE setting LIKE 'search_path=%')`;
    expect(rows.map((row) => row.proname)).toEqual([]);
  });

  it('changes nothing when a statement fails', async () => {
    const broken = later('0001_broken', 'CREATE TABLE half (); SELECT 1 / 0');
    await expect(migrate(ownerUrl, withLater(broken))).rejects.toThrow('division by zero');
    expect(await tableExists('half')).toBe(false);
    await refuseOtherSchema(db);
  });

  it('gives up a lock that it cannot get, and says so', async () => {
    const change = later('0001_wait', 'ALTER TABLE provider_events ADD COLUMN waited text');
    await other`BEGIN`;
    await other`SELECT FROM provider_events`;
    const failed = migrate(ownerUrl, { ...withLater(change), attemptsMax: 1 });
    await expect(failed).rejects.toThrow('Another transaction holds a lock that the migration needs');
    await other`ROLLBACK`;
    await refuseOtherSchema(db);
  });

  it('tries again after a deadlock', async () => {
    await sql`CREATE SEQUENCE attempts`;
    const change = later(
      '0001_deadlock',
      `DO $$ BEGIN IF nextval('attempts') = 1 THEN RAISE deadlock_detected; END IF; END $$`,
    );
    await migrate(ownerUrl, withLater(change));
    await sql`DROP SEQUENCE attempts`;
    await sql`DELETE FROM schema_migrations WHERE name = '0001_deadlock'`;
  });

  it('tries again until a lock is free', async () => {
    const change = later('0001_retry', 'CREATE INDEX retried ON provider_events (type)');
    const waits = async () =>
      (
        await sql`SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
        WHERE datname = current_database() AND NOT granted AND relation = 'provider_events'::regclass`
      ).length;
    await other`BEGIN`;
    await other`LOCK TABLE provider_events IN ROW EXCLUSIVE MODE`;
    const migrated = migrate(ownerUrl, withLater(change));
    await expect.poll(waits).toBe(1);
    await expect.poll(waits, { interval: 20 }).toBe(0);
    await other`ROLLBACK`;
    await migrated;
    expect(await tableExists('retried')).toBe(true);
    await sql`DROP INDEX retried`;
    await sql`DELETE FROM schema_migrations WHERE name = '0001_retry'`;
  });
});

describe('a release', () => {
  afterEach(async () => {
    await sql`DELETE FROM schema_migrations WHERE name ~ '^(000[12]|release)_'`;
    await migrate(ownerUrl);
  });

  it('serves a database that a later release has expanded, and does not migrate it back', async () => {
    await migrate(ownerUrl, withLater(later('0001_add_note', 'SELECT 1')));
    await refuseOtherSchema(web);
    await expect(migrate(ownerUrl)).rejects.toThrow('newer than this release: it has 0001_add_note');
  });

  it.each([
    `${major}.${minor}.${patch + 1}`,
    `${major}.${minor + 10}.0`,
    `${major + 1}.0.0`,
    `${major + 1}.0.0-rc.1`,
  ])('does not put back its functions in a database that release %s has migrated', async (version) => {
    const name = `release_${version}`;
    await sql`INSERT INTO schema_migrations (name, hash) VALUES (${name}, 'none')`;
    await expect(migrate(ownerUrl)).rejects.toThrow(`newer than this release: it has ${name}. Nothing`);
    await refuseOtherSchema(web);
    await migrate(ownerUrl, { isOnlyUser: true });
  });

  it.each(['0.9.9', '0.10.0', manifest.version, `${manifest.version}-rc.1`])(
    'migrates a database of release %s',
    async (version) => {
      const name = `release_${version}`;
      await sql`DELETE FROM schema_migrations WHERE name LIKE 'release_%'`;
      await sql`INSERT INTO schema_migrations (name, hash) VALUES (${name}, 'none')`;
      await migrate(ownerUrl);
    },
  );

  it('refuses a database from which a later release has removed what it needs', async () => {
    await migrate(ownerUrl, withLater(later('0001_contract_names', 'SELECT 1')));
    await expect(refuseOtherSchema(web)).rejects.toThrow('the migration 0001_contract_names removed');
    await expect(refuseOtherSchema(db)).rejects.toThrow('Use a release that has it.');
  });

  it('serves a database from which a later release has removed what it no longer needs', async () => {
    await migrate(ownerUrl, withLater(later('0001_contract_after_0000_names', 'SELECT 1')));
    await refuseOtherSchema(web);
    await sql`DELETE FROM schema_migrations WHERE name LIKE '0001_%'`;
    await migrate(ownerUrl, withLater(later('0002_contract_after_0001_names', 'SELECT 1')));
    await expect(refuseOtherSchema(web)).rejects.toThrow(
      'the migration 0002_contract_after_0001_names removed',
    );
  });

  it.each(['0000_tables', 'functions_%'])('refuses a database that lacks %s', async (name) => {
    const rows = await sql`DELETE FROM schema_migrations WHERE name LIKE ${name} RETURNING *`;
    await expect(refuseOtherSchema(web)).rejects.toThrow('Run npm run migrate with this release.');
    await sql`INSERT INTO schema_migrations ${sql(rows)}`;
  });

  it.each([
    ['other tables', `UPDATE schema_migrations SET hash = 'other' WHERE name = '0000_tables'`],
    ['tables of a development version', 'ALTER TABLE schema_migrations RENAME TO other_migrations'],
  ])('does not migrate %s', async (_what, statement) => {
    await sql`CREATE TABLE saved AS SELECT * FROM schema_migrations`;
    await sql.unsafe(statement);
    await expect(migrate(ownerUrl)).rejects.toThrow('they were created by a development version');
    await expect(refuseOtherSchema(web)).rejects.toThrow(/development version|older than this release/);
    await sql`ALTER TABLE IF EXISTS other_migrations RENAME TO schema_migrations`;
    await sql`UPDATE schema_migrations SET hash = saved.hash FROM saved WHERE saved.name = schema_migrations.name`;
    await sql`DROP TABLE saved`;
  });
});

describe('checkDatabase', () => {
  const settings = (address: string) =>
    readSettings({
      DATABASE_URL: address,
      PAYMENTS: 'sandbox',
      SESSION_SECRET: testSessionSecret,
    });

  it('accepts the role of the service', async () => {
    await checkDatabase(settings(url));
  });

  it.each([ownerUrl, operatorUrl])('refuses a role that may change the ledger', async (address) => {
    await expect(checkDatabase(settings(address))).rejects.toThrow('Use the role scheduling_web');
  });

  it('refuses a database without tables with a sentence', async () => {
    await expect(checkDatabase(settings(inDatabase(url, 'postgres')))).rejects.toThrow(
      'The database (DATABASE_URL) cannot be used: The database is older than this release: 0000_tables is missing.',
    );
  });
});

/** Until after the first statements. */
const messages = Array.from({ length: 20 }, (_, message) => message);

test.each(messages)('migrate: fails when the connection is reset at message %d', async (message) => {
  let passed = 0;
  const wire = await startProxy('database', new URL(ownerUrl), () => {
    if (passed++ === message) wire.reset();
    return true;
  });
  await expect(migrate(wire.url.href)).rejects.toThrow('ECONNRESET');
  await wire.close();
});
