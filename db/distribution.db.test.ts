/**
 * Whether the schema could run on PostgreSQL distributed by `customer_id` (Citus), and with the tables partitioned by it.
 * `testDatabase` checks the statements. See docs/scale.md.
 */
import { expect, test } from 'vitest';
import { testDatabase } from '#tools/testing/database.ts';
import { distributedTables as distributed, referenceTables } from '#tools/testing/distribution-rules.ts';

const { sql } = await testDatabase();

/** Of no customer, and small. */
const ofCoordinator = [
  'limit_counts',
  'payment_mode',
  'provider_events',
  'reconciliations',
  'schema_migrations',
];
const tables = await sql<{ name: string }[]>`
  select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`;

test('every table is distributed by the customer, a reference table, or on the coordinator only', () => {
  const known = [...distributed, ...referenceTables, ...ofCoordinator];
  expect(known.toSorted()).toEqual(tables.map(({ name }) => name));
});

test('every distributed table has the customer in each key, so that it can be partitioned', async () => {
  expect(distributed.length).toBeGreaterThan(8);
  const partitioned = Promise.all(
    // PostgreSQL refuses a partitioned table whose keys do not include the column.
    distributed.map((name) =>
      sql.unsafe(
        `create table partitioned_${name} (like ${name} including all) partition by hash (customer_id)`,
      ),
    ),
  );
  await expect(partitioned).resolves.toHaveLength(distributed.length);
});

test('a distributed table refers to another one by the customer too, and a reference table to none', async () => {
  const keys = await sql<{ name: string; source: string; target: string; pairs: string[] }[]>`
    select c.conname as name, c.conrelid::regclass::text as source, c.confrelid::regclass::text as target,
      array_agg(s.attname || '=' || t.attname) as pairs
    from pg_constraint c cross join unnest(c.conkey, c.confkey) as k (source, target)
      join pg_attribute s on s.attrelid = c.conrelid and s.attnum = k.source
      join pg_attribute t on t.attrelid = c.confrelid and t.attnum = k.target
    where c.contype = 'f' group by c.oid`;
  const wrong = keys.filter(
    ({ source, target, pairs }) =>
      distributed.includes(target) &&
      !(distributed.includes(source) && pairs.includes('customer_id=customer_id')),
  );
  expect(keys.length).toBeGreaterThan(8);
  expect(wrong).toEqual([]);
});

test('no trigger has a transition table, and the only statement triggers refuse changes', async () => {
  const triggers = await sql<{ name: string; hasTable: boolean }[]>`
    select tgname as name, coalesce(tgoldtable, tgnewtable) is not null as "hasTable" from pg_trigger
    where not tgisinternal and tgrelid <> 'audit'::regclass order by 1`;
  // Citus needs citus.enable_unsafe_triggers for them. The privileges of the roles refuse the same without them.
  expect(triggers).toEqual([
    { name: 'audit_entries_append_only', hasTable: false },
    { name: 'ledger_entries_append_only', hasTable: false },
  ]);
});

test('no policy has a subquery', async () => {
  const policies = await sql<{ name: string; check: string }[]>`
    select polname as name, concat(pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) as check
    from pg_policy`;
  expect(policies.length).toBeGreaterThan(8);
  expect(policies.filter(({ check }) => /select/i.test(check))).toEqual([]);
});

test('no function takes or returns a row of a table', async () => {
  const functions = await sql<{ name: string }[]>`
    select distinct p.proname as name from pg_proc p
      cross join unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]) || p.prorettype) as a (type)
      join pg_type t on t.oid = a.type
    where p.pronamespace = 'public'::regnamespace and t.typtype = 'c'`;
  expect(functions.map(({ name }) => name)).toEqual([]);
});

test('no SQL function reads a distributed table, because Citus inlines it', async () => {
  const functions = await sql<{ name: string; body: string }[]>`
    select proname as name, prosrc as body from pg_proc
    where pronamespace = 'public'::regnamespace and prolang = (select oid from pg_language where lanname = 'sql')`;
  expect(functions.length).toBeGreaterThan(0);
  const reads = new RegExp(String.raw`\b(${distributed.join('|')})\b`);
  expect(functions.filter(({ body }) => reads.test(body))).toEqual([]);
});
