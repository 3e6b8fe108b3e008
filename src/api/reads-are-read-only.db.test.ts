import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { addCard } from '#src/api/operations/add-card.ts';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { operations } from '#src/api/operations/index.ts';
import { call, testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';

const service = await testService();
const reads = operations.filter(({ method }) => method === 'GET');

/** Makes new connections read-only. */
async function refuseWrites(): Promise<void> {
  const name = new URL(service.ownerUrl).pathname.slice(1);
  await service.sql.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await service.restart();
}

test(`${reads.map(({ id }) => id).join(', ')}: return 200 while the database is read-only`, async () => {
  const customer = await newCustomer(service.db);
  await refuseWrites();
  const calls: (() => Promise<number>)[] = [];
  for (const read of reads) {
    const { status, headers } = await call(read, customer);
    expect(status, read.id).toBe(200);
    const known = { headers: { 'If-None-Match': headers.get('etag') ?? '' } };
    calls.push(async () => (await call(read, customer)).status);
    calls.push(async () => (await call({ ...read, method: 'HEAD' }, customer)).status);
    calls.push(async () => (await call(read, customer, known)).status);
  }
  for (let round = 0; round < 50; round += 1) {
    const statuses = await Promise.all(calls.map((request) => request()));
    expect(statuses).toEqual(reads.flatMap(() => [200, 200, 304]));
  }

  // A request that writes fails, so the reads above did not write.
  const added = await call(addCard, customer, { body: { token: 'tok_visa', card: {} } });
  const refused = await call(getCustomer, { ...customer, apiSecret: 'secret_test_wrong' });
  expect([added.status, refused.status]).toEqual([503, 503]);

  // The last use of a secret is written after the response.
  const log = () => readFile(service.environment.LOG_FILE ?? '', 'utf8');
  await expect.poll(log).toContain('The last use could not be recorded.');
});
