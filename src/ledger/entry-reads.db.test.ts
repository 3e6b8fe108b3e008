import { expect, test } from 'vitest';
import { testDatabase } from '#tools/testing/database.ts';
import { insertEntries, newCity, newCustomer, newEntry } from '#tools/testing/factories.ts';
import type { EntryKind } from './entry.ts';
import { listEntries } from './list-entries.ts';
import { monthlyBalances, monthSteps } from './monthly-balances.ts';

const { db } = await testDatabase();
const entry = (username: string, reference: string, at: string, amountCents: bigint, kind?: EntryKind) =>
  newEntry(db, { username }, { amountCents, takesEffectAt: new Date(at), reference, ...(kind && { kind }) });

const cursorOf = async (id: number, reference: string | undefined) =>
  (await listEntries(db, id, { limit: 50 })).entries.find((one) => one.reference === reference)?.id;

test('listEntries: pages in both directions without gaps and filters by kind, month, and text', async () => {
  const { username, id } = await newCustomer(db);
  for (let count = 0; count < 23; count++) {
    await entry(
      username,
      `r${count}`,
      `2026-0${1 + (count % 3)}-10T00:00:00Z`,
      1n,
      count % 2 ? 'credit' : 'delivery',
    );
  }
  const found: string[] = [];
  let after: number | null | undefined;
  while (after !== null) {
    const page = await listEntries(db, id, { limit: 5, after });
    found.push(...page.entries.map(({ reference }) => reference));
    after = page.next;
  }
  expect(new Set(found).size).toBe(23);
  const last = await listEntries(db, id, { limit: 5, after: await cursorOf(id, found[19]) });
  expect(last).toMatchObject({ entries: { length: 3 }, next: null });
  const back: string[][] = [];
  let before = last.previous;
  while (before !== null) {
    const page = await listEntries(db, id, { limit: 5, before });
    back.unshift(page.entries.map(({ reference }) => reference));
    before = page.previous;
  }
  expect(back.flat()).toEqual(found.slice(0, 20));
  // Three entries are newer than the fourth, fewer than a page.
  const top = await listEntries(db, id, { limit: 5, before: await cursorOf(id, found[3]) });
  expect(top.entries.map(({ reference }) => reference)).toEqual(found.slice(0, 5));
  expect(top.previous).toBeNull();
  expect((await listEntries(db, id, { limit: 50, kind: 'credit' })).entries).toHaveLength(11);
  expect((await listEntries(db, id, { limit: 50, month: '2026-02-01' })).entries).toHaveLength(8);
  expect((await listEntries(db, id, { limit: 50, text: 'ABOUT R22' })).entries).toHaveLength(1);
  const until = new Date('2026-02-10T00:00:00Z');
  expect((await listEntries(db, id, { limit: 50, until })).entries).toHaveLength(16);
  const stranger = await newCustomer(db);
  expect((await listEntries(db, stranger.id, { limit: 50 })).entries).toEqual([]);
});

test('monthlyBalances, monthSteps: explain the balance', async () => {
  const { username, id } = await newCustomer(db, {
    city: await newCity(db, { timezone: 'Pacific/Honolulu' }),
  });
  await entry(username, 'old', '2020-01-01T00:00:00Z', 100n);
  await entry(username, 'october', '2026-11-01T09:59:59Z', 10n);
  await entry(username, 'november', '2026-11-01T10:00:00Z', 7n);
  await entry(username, 'scheduled', '2026-11-30T00:00:00Z', 2n);
  await entry(username, 'december', '2026-12-01T10:00:00Z', 1n);
  const at = new Date('2026-11-20T00:00:00Z');
  const months = await monthlyBalances(db, id, at);
  expect(months).toHaveLength(12);
  expect(months.slice(-2)).toEqual([
    { month: '2026-10-01', changeCents: 10n, balanceCents: 110n, entries: 1 },
    { month: '2026-11-01', changeCents: 9n, balanceCents: 119n, entries: 2 },
  ]);
  const { openingCents, steps } = await monthSteps(db, id, at);
  expect([openingCents, ...steps.map(({ balanceCents }) => balanceCents)]).toEqual([110n, 117n, 119n]);
});

test('monthSteps: groups by day when there are more entries than the plot can show', async () => {
  const { id } = await newCustomer(db);
  const entries = Array.from({ length: 1_000 }, (_, index) => ({
    customerId: id,
    kind: 'delivery' as const,
    amountCents: 1n,
    takesEffectAt: new Date(Date.UTC(2026, 10, 2 + (index % 10), 12)),
    reference: String(index),
  }));
  await insertEntries(db, entries);
  const { isByDay, steps } = await monthSteps(db, id, new Date('2026-11-20T00:00:00Z'));
  expect(isByDay).toBe(true);
  expect(steps.map(({ entries, balanceCents }) => [entries, balanceCents])).toEqual(
    Array.from({ length: 10 }, (_, day) => [100, BigInt((day + 1) * 100)]),
  );
});
