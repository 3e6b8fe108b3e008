import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onPostgres } from '#tools/testing/citus.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { newCustomer, newEntry } from '#tools/testing/factories.ts';

const database = await testDatabase();
const { db } = database;
const roles = [
  ['web', postgres(database.url, { max: 1, onnotice: () => {} })],
  ['operator', postgres(database.operatorUrl, { max: 1, onnotice: () => {} })],
] as const;
const owner = postgres(database.ownerUrl, { max: 1, onnotice: () => {} });
const tables = ['ledger_entries', 'audit_entries'] as const;

const state = async () => {
  const rows = await Promise.all(tables.map((name) => owner.unsafe(`SELECT * FROM ${name} ORDER BY id`)));
  return JSON.stringify(rows);
};
let before = '';

beforeAll(async () => {
  await newEntry(db, await newCustomer(db), { amountCents: 1250n });
  before = await state();
});
afterAll(() => Promise.all([owner, ...roles.map(([, sql]) => sql)].map((sql) => sql.end())));

describe.each(tables)('%s', (name) => {
  const changes: string[] = [
    `UPDATE ${name} SET id = id`,
    `DELETE FROM ${name}`,
    `DELETE FROM ${name} WHERE id = -1`,
    `TRUNCATE ${name}`,
    `TRUNCATE ${name} CASCADE`,
    `WITH gone AS (DELETE FROM ${name} RETURNING id) SELECT * FROM gone`,
    `INSERT INTO ${name} SELECT * FROM ${name} LIMIT 1 ON CONFLICT (customer_id, id) DO UPDATE SET id = excluded.id`,
  ];
  onPostgres('refused changes', () => {
    changes.push(
      `UPDATE ${name} SET id = id WHERE false`,
      `MERGE INTO ${name} t USING (SELECT 1 AS id) s ON t.id > 0 WHEN MATCHED THEN DELETE`,
    );
  });
  describe.each(roles)('append-only for the %s role', (_role, sql) => {
    // The role has no privilege, so no trigger runs.
    test.each(changes)('%s', async (statement) => {
      await expect(sql.unsafe(statement)).rejects.toMatchObject({
        code: '42501',
        message: expect.stringContaining('permission denied'),
      });
      expect(await state()).toBe(before);
    });
  });

  test.each(changes)('append-only for the owner role: %s', async (statement) => {
    await expect(owner.unsafe(statement)).rejects.toMatchObject({
      code: '42501',
      message: expect.stringContaining('append-only'),
    });
    expect(await state()).toBe(before);
  });

  const detours = [
    `ALTER TABLE ${name} DISABLE TRIGGER ALL`,
    `DROP TRIGGER ${name}_append_only ON ${name}`,
    `DROP TABLE ${name}`,
    `ALTER TABLE ${name} RENAME TO other`,
    `GRANT UPDATE ON ${name} TO CURRENT_USER`,
    `SET session_replication_role = replica`,
    `CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
    `CREATE RULE hole AS ON INSERT TO ${name} DO INSTEAD NOTHING`,
  ];
  describe.each(roles)('no way around for the %s role', (_role, sql) => {
    test.each(detours)('%s', async (statement) => {
      const outcome = await sql.unsafe(statement).then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
      // PostgreSQL only warns about a GRANT without the right to grant, so the privilege is tried below.
      expect(statement.startsWith('GRANT') ? '42501' : outcome).toMatch(/^42501|42P07$/);
      await expect(sql.unsafe(`UPDATE ${name} SET id = id`)).rejects.toMatchObject({ code: '42501' });
      expect(await state()).toBe(before);
    });
  });
});
