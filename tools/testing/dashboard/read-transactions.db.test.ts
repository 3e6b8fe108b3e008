import { beforeEach, describe, expect, it, vi } from 'vitest';
import { readTransactions } from '#app/(dashboard)/payout/read-transactions.ts';
import { services } from '#src/api/services.ts';
import { testService } from '#tools/testing/api.ts';
import { newCustomer, newEntry, type TestCustomer } from '#tools/testing/factories.ts';

const service = await testService();
let customer: TestCustomer;

beforeEach(async () => {
  customer = await newCustomer(service.db);
  await newEntry(service.db, customer, { amountCents: 100n, reference: 'INV-1' });
});

const referencesOf = ({ page }: Awaited<ReturnType<typeof readTransactions>>) =>
  page?.entries.map(({ reference }) => reference);

/** Holds the reads of two searches. @returns what lets them go on, and their results */
async function holdSearches(search: string) {
  const { db, replicaReads } = services();
  const held = Promise.withResolvers<void>();
  const read = vi
    .spyOn(replicaReads, 'read')
    .mockImplementation((run) => held.promise.then(() => run(db, () => false)));
  const results = [1, 2].map(() => readTransactions(customer.id, { search }));
  read.mockRestore();
  return { release: held.resolve, reject: held.reject, results };
}

describe('readTransactions', () => {
  it('reads no page for a third search of a customer at a time, until one ends', async () => {
    const { release, results } = await holdSearches('INV');
    for (const filter of [
      { search: 'x' },
      { type: 'delivery' as const },
      { month: '2026-11' },
      { search: 'x', after: 1 },
    ])
      expect((await readTransactions(customer.id, filter)).page).toBeNull();
    release();
    expect((await Promise.all(results)).map(referencesOf)).toEqual([['INV-1'], ['INV-1']]);
    expect(referencesOf(await readTransactions(customer.id, { search: 'INV' }))).toEqual(['INV-1']);
  });

  it('reads pages without a filter, and searches of other customers, meanwhile', async () => {
    const other = await newCustomer(service.db);
    await newEntry(service.db, other, { amountCents: 100n, reference: 'INV-2' });
    const { release, results } = await holdSearches('INV');
    expect(referencesOf(await readTransactions(customer.id, {}))).toEqual(['INV-1']);
    expect(referencesOf(await readTransactions(other.id, { search: 'INV' }))).toEqual(['INV-2']);
    release();
    await Promise.all(results);
  });

  it('does not count searches that failed', async () => {
    const { reject, results } = await holdSearches('INV');
    reject(new Error('canceled'));
    await Promise.allSettled(results);
    expect(referencesOf(await readTransactions(customer.id, { search: 'INV' }))).toEqual(['INV-1']);
  });
});
