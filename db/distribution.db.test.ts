/**
 * Whether the schema and the statements could run on PostgreSQL distributed by `customer_id` (Citus), and with the tables
 * partitioned by it. See docs/scale.md.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import { checkout } from '#tools/checkout.ts';
import { testDatabase } from '#tools/testing/database.ts';
import * as schema from './schema.ts';

const { sql } = await testDatabase();

const distribution = readFileSync(path.join(checkout, 'db', 'citus.sql'), 'utf8');
const namesIn = (pattern: RegExp) => [...distribution.matchAll(pattern)].map(([, name]) => name as string);
const distributed = namesIn(/create_distributed_table\('(\w+)', 'customer_id'/g);
const referenceTables = namesIn(/create_reference_table\('(\w+)'/g);
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

const files = globSync(['src/**/*.ts', 'db/**/*.{ts,sql}'], { cwd: checkout, exclude: ['**/*.test.ts'] });
const sources = files.map((file) => ({ file, text: readFileSync(path.join(checkout, file), 'utf8') }));

test('joins of customers’ tables are by the customer', () => {
  const names = new Map(
    Object.entries(schema).flatMap(([name, table]) =>
      is(table, PgTable) && 'customerId' in getTableColumns(table) ? [[name, getTableName(table)]] : [],
    ),
  );
  const inSql = new RegExp(
    String.raw`\bjoin (${[...names.values()].join('|')})\b( \w+)? on ([\s\S]*?)(?=\b(left|inner|cross|join|where|group|order|union|returning|limit|for)\b|\x60|;)`,
    'gi',
  );
  const inBuilder = new RegExp(
    String.raw`\.(?:inner|left)Join\(\s*(?:${[...names.keys()].join('|')}),(.*)`,
    'g',
  );
  const joins = sources.flatMap(({ file, text }) => [
    ...[...text.matchAll(inSql)].map(([join, , , condition]) => ({ file, join, condition })),
    ...[...text.matchAll(inBuilder)].map(([join, condition]) => ({ file, join, condition })),
  ]);
  expect(joins.length).toBeGreaterThan(5);
  expect(joins.filter(({ condition }) => !/customer_?id/i.test(condition ?? ''))).toEqual([]);
});

/** What Citus refused in statements of distributed tables, and the files whose tables are on the coordinator or not read by it. */
const refused: [kind: string, pattern: RegExp, exceptions: string[]][] = [
  [
    'an upsert by the clock',
    /\bdo update\b[^`]*?\bnow\(\)|onConflictDoUpdate\(\{(?:(?!\n {4}\}\))[\s\S])*?(now\(\)|\.\.\.fresh|lease)/i,
    ['src/api/stored-counter.ts'],
  ],
  ['the clock in case or coalesce', /\w: sql`\s*(case|coalesce)\b[^`]*?now\(\)/i, []],
  ['a change by the JSON of a row', /\bwhere\b[^`]*?(to_jsonb\(|@>)/i, []],
  ['rows locked among all customers', /skip ?locked/i, ['src/cards/lease-queries.ts']],
  ['the place of a row', /\bctid\b/i, ['src/api/principal-columns.ts']],
  ['a random value of the server', /(?<!Math\.)\brandom\(\)(?= [*+/-]|\))/, []],
  ['a lock of the coordinator in a condition', /\bisInstanceGone\b/, ['src/cards/reconciliation-queries.ts']],
  [
    'a function of a column that depends on settings',
    /date_trunc\('\w+', \$\{(?!sql)[a-zA-Z]+\.|\$\{\w+\.\w+At\} [+-] /,
    [],
  ],
  [
    'a lock of rows that are joined with those of another part',
    /\bid in \(select [^`)]*\)\s*(order by \w+\s*)?for (key share|update|no key)/i,
    [],
  ],
  [
    'an SQL function that reads tables of customers',
    /language sql\b(?=[\s\S]*\b(from|into|update) (cards|sessions|ledger_|audit_|idempotency|api_req|security))/i,
    [],
  ],
  [
    'a function that reads tables, of the columns of a row',
    /(card_refusal|activate_card|refresh_card)\(\$\{cards\.|\bselect\b[^;`]*card_refusal\([^;`]*\bfrom cards\b/i,
    [],
  ],
  ['a column without a type', /from \w+\) is null\b|select open_session\([^`]*?::integer\)\)/, []],
];

test.each(refused)('no statement has %s', (_kind, pattern, exceptions) => {
  const found = sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
  // The declaration is not a statement.
  expect(found.filter((file) => file !== 'db/instance-lock.ts').toSorted()).toEqual(exceptions);
});
