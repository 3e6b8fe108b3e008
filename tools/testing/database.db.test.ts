import postgres from 'postgres';
import { afterAll, expect, test } from 'vitest';
import { inDatabase } from './connections.ts';
import { refusedByCitus, testDatabase } from './database.ts';

const { operatorUrl, ownerUrl } = await testDatabase();
const name = `${new URL(ownerUrl).pathname.slice(1)}_refused`;
const admin = postgres(inDatabase(ownerUrl, 'postgres'), { max: 1 });

afterAll(async () => {
  await admin.unsafe(`drop database if exists ${name} with (force)`);
  await admin.end();
});

test('refusedByCitus: finds a statement that was issued, with the rule that it breaks', async () => {
  await admin.unsafe(`create database ${name}`);
  const operator = postgres(inDatabase(operatorUrl, name), { max: 1 });
  const statement = 'select 1 from sessions s join cards c on c.id = s.id';
  await operator.unsafe(`with sessions as (select 2 as id), cards as (select 2 as id) ${statement}`);
  await operator.end();
  const found = await refusedByCitus(admin, name);
  expect(found).toEqual([expect.stringMatching(/^a join without the customer: with sessions .* join cards/)]);
});
