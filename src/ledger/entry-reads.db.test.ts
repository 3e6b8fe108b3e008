import { expect, test } from 'vitest';
import { testDatabase } from '#tools/testing/database.ts';
import { insertEntries, newCity, newCustomer, newEntry } from '#tools/testing/factories.ts';
import type { EntryKind } from './entry.ts';
import { listEntries, searchedMax } from './list-entries.ts';
import { monthlyBalances } from './monthly-balances.ts';
import { firstMonth, readMonth, readStatement } from './read-statement.ts';

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

test('listEntries: pages through entries of one instant in both directions, only those that match', async () => {
  const { username, id } = await newCustomer(db);
  const at = '2026-11-20T00:00:00Z';
  for (let count = 0; count < 6; count++) await entry(username, `same-${count}`, at, 1n);
  await entry(username, 'a credit', at, 1n, 'credit');
  const page = async (span: { after?: number | null; before?: number | null }) => {
    const cursor = { after: span.after ?? undefined, before: span.before ?? undefined };
    const { entries, ...rest } = await listEntries(db, id, { kind: 'delivery', limit: 3, ...cursor });
    return { references: entries.map(({ reference }) => reference), ...rest };
  };
  const first = await page({});
  expect(first).toMatchObject({ references: ['same-5', 'same-4', 'same-3'], previous: null });
  const second = await page({ after: first.next });
  expect(second).toMatchObject({ references: ['same-2', 'same-1', 'same-0'], next: null });
  expect(await page({ before: second.previous })).toEqual(first);
});

test('listEntries: searches a bounded number of entries for a page, and says how far', async () => {
  const { username, id } = await newCustomer(db);
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000);
  await insertEntries(
    db,
    Array.from({ length: 2 * searchedMax }, (_, n) => ({
      customerId: id,
      takesEffectAt: at(n),
      reference: `${n}`,
      amountCents: 1n,
    })),
  );
  await entry(username, 'the latest', at(2 * searchedMax).toISOString(), 1n);
  await entry(username, 'the first', at(-1).toISOString(), 1n, 'credit');
  const found = async (span: { after?: number | null; before?: number | null }) => {
    const { entries, ...page } = await listEntries(db, id, {
      text: 'the',
      limit: 2,
      after: span.after ?? undefined,
      before: span.before ?? undefined,
    });
    return { references: entries.map(({ reference }) => reference), ...page };
  };
  const latest = await found({});
  expect(latest).toMatchObject({
    references: ['the latest'],
    previous: null,
    searchedTo: at(searchedMax + 1),
  });
  const middle = await found({ after: latest.next });
  expect(middle).toMatchObject({ references: [], searchedTo: at(1) });
  const first = await found({ after: middle.next });
  expect(first).toMatchObject({ references: ['the first'], next: null, searchedTo: null });
  const back = await found({ before: first.previous });
  expect(back).toMatchObject({ references: [], searchedTo: at(searchedMax - 1) });
  expect(await found({ after: back.next })).toMatchObject({ references: ['the first'] });
  // Less than a full page is left, so this is the first one.
  expect(await found({ before: (await found({ before: back.previous })).previous })).toEqual(latest);
  const credits = await listEntries(db, id, { kind: 'credit', limit: 2 });
  expect(credits).toMatchObject({ entries: [], next: latest.next });
});

test('listEntries: has a page of exactly as many entries, and cursors of other customers select nothing', async () => {
  const { username, id } = await newCustomer(db);
  const { id: only } = await entry(username, 'only', '2026-11-20T00:00:00Z', 1n);
  expect(await listEntries(db, id, { limit: 1 })).toMatchObject({ next: null, previous: null });
  const stranger = await newCustomer(db);
  await entry(stranger.username, 'theirs', '2026-11-19T00:00:00Z', 1n);
  expect((await listEntries(db, stranger.id, { limit: 5, after: only })).entries).toEqual([]);
});

test('listEntries: finds text in the description or the reference, in any case, and takes % _ and \\ as they are', async () => {
  const { id } = await newCustomer(db);
  const row = (reference: string, description = '') => ({
    customerId: id,
    amountCents: 1n,
    takesEffectAt: new Date('2026-11-20T00:00:00Z'),
    reference,
    description,
  });
  const references = ['INV-1', '100%', 'a_b', 'a\\b', 'axb'].map((reference) => row(reference));
  await insertEntries(db, [...references, row('x', 'Fragile')]);
  const found = async (text: string) =>
    (await listEntries(db, id, { limit: 50, text })).entries.map(({ reference }) => reference);
  expect(await Promise.all(['inv', 'FRAGILE', '%', '_', '\\', 'a_b', 'none'].map(found))).toEqual([
    ['INV-1'],
    ['x'],
    ['100%'],
    ['a_b'],
    ['a\\b'],
    ['a_b'],
    [],
  ]);
});

/** The first and the last instant of October and November 2026 in the zone. */
test.each([
  [
    'Pacific/Kiritimati',
    '2026-09-30T10:00:00Z',
    '2026-10-31T09:59:59.999Z',
    '2026-10-31T10:00:00Z',
    '2026-11-30T09:59:59.999Z',
  ],
  [
    'America/Los_Angeles',
    '2026-10-01T07:00:00Z',
    '2026-11-01T06:59:59.999Z',
    '2026-11-01T07:00:00Z',
    '2026-12-01T07:59:59.999Z',
  ],
  [
    'Pacific/Pago_Pago',
    '2026-10-01T11:00:00Z',
    '2026-11-01T10:59:59.999Z',
    '2026-11-01T11:00:00Z',
    '2026-12-01T10:59:59.999Z',
  ],
])(
  'listEntries, readMonth, monthlyBalances: a month has all of its instants in %s',
  async (timezone, ...instants) => {
    const { username, id } = await newCustomer(db, { city: await newCity(db, { timezone }) });
    for (const instant of instants) await entry(username, instant, instant, 1n);
    const [startOfOctober = '', endOfOctober = '', startOfNovember = '', endOfNovember = ''] = instants;
    const october = [endOfOctober, startOfOctober];
    const november = [endOfNovember, startOfNovember];
    for (const [month, references] of [
      ['2026-10-01', october],
      ['2026-11-01', november],
      ['2026-12-01', []],
    ] as const) {
      const { entries } = await listEntries(db, id, { limit: 9, month });
      expect([month, entries.map(({ reference }) => reference)]).toEqual([month, references]);
    }
    const { openingCents, steps } = await readMonth(db, id, { month: '2026-11', timezone, now: new Date() });
    expect([openingCents, steps.map((step) => step.at.toISOString())]).toEqual([
      2n,
      november.toReversed().map((instant) => new Date(instant).toISOString()),
    ]);
    for (const at of november) {
      const [current] = (await monthlyBalances(db, id, new Date(at))).slice(-1);
      expect(current).toEqual({ month: '2026-11-01', balanceCents: 4n });
    }
  },
);

test('monthlyBalances, readMonth: explain the balance', async () => {
  const timezone = 'Pacific/Honolulu';
  const { username, id } = await newCustomer(db, { city: await newCity(db, { timezone }) });
  await entry(username, 'old', '2020-01-01T00:00:00Z', 100n);
  await entry(username, 'october', '2026-11-01T09:59:59Z', 10n);
  await entry(username, 'november', '2026-11-01T10:00:00Z', 7n);
  await entry(username, 'scheduled', '2026-11-30T00:00:00Z', 2n);
  await entry(username, 'december', '2026-12-01T10:00:00Z', 1n);
  const at = new Date('2026-11-20T00:00:00Z');
  const months = await monthlyBalances(db, id, at);
  expect(months).toHaveLength(12);
  expect(months[0]).toEqual({ month: '2025-12-01', balanceCents: 100n });
  expect(months.slice(-2)).toEqual([
    { month: '2026-10-01', balanceCents: 110n },
    { month: '2026-11-01', balanceCents: 119n },
  ]);
  // Added last, but takes effect earlier.
  await entry(username, 'early', '2026-11-01T10:00:00Z', 5n, 'credit');
  const { steps, ...month } = await readMonth(db, id, { month: '2026-11', timezone, now: at });
  expect(steps.map(({ balanceCents }) => balanceCents)).toEqual([112n, 114n]);
  expect(month).toEqual({
    openingCents: 110n,
    totals: [
      { kind: 'credit', isScheduled: false, amountCents: -5n, entries: 1 },
      { kind: 'delivery', isScheduled: false, amountCents: 7n, entries: 1 },
      { kind: 'delivery', isScheduled: true, amountCents: 2n, entries: 1 },
    ],
    closingCents: 114n,
  });
});

test("readMonth: has a step for each of the city's days, and one for what is scheduled for the rest of today", async () => {
  const { id, city } = await newCustomer(db);
  // The first two are on one day in Los Angeles, and the last three on the next one.
  const instants = [
    '2026-11-10T23:00:00Z',
    '2026-11-11T07:59:59Z',
    '2026-11-11T08:00:00Z',
    '2026-11-11T20:00:00Z',
    '2026-11-11T20:00:01Z',
  ];
  const entries = Array.from({ length: 205 }, (_, index) => ({
    customerId: id,
    amountCents: 1n,
    takesEffectAt: new Date(instants[index % 5] ?? ''),
    reference: String(index),
  }));
  await insertEntries(db, entries);
  const now = new Date('2026-11-11T20:00:00Z');
  const { steps } = await readMonth(db, id, { month: '2026-11', timezone: city.timezone, now });
  expect(steps.map(({ at, balanceCents }) => [at.toISOString(), balanceCents])).toEqual([
    ['2026-11-11T07:59:59.000Z', 82n],
    ['2026-11-11T20:00:00.000Z', 164n],
    ['2026-11-11T20:00:01.000Z', 205n],
  ]);
});

test("firstMonth: is the month of a customer's first entry", async () => {
  const { username, id } = await newCustomer(db);
  expect(await firstMonth(db, id)).toBeUndefined();
  await entry(username, 'second', '2026-11-10T00:00:00Z', 1n);
  await entry(username, 'first', '2025-09-10T00:00:00Z', 1n);
  expect(await firstMonth(db, id)).toBe('2025-09');
});

test('readStatement: leads from the opening to the closing balance, and lists up to 500 entries', async () => {
  const { username, id } = await newCustomer(db);
  await entry(username, 'before', '2026-10-10T00:00:00Z', 500n);
  await entry(username, 'later', '2026-11-20T12:00:00Z', 1_250n);
  await entry(username, 'first', '2026-11-10T12:00:00Z', 700n, 'credit');
  await entry(username, 'after', '2026-12-10T00:00:00Z', 9n);
  const now = new Date('2026-11-15T00:00:00Z');
  const totals = [
    { kind: 'credit', isScheduled: false, amountCents: -700n, entries: 1 },
    { kind: 'delivery', isScheduled: true, amountCents: 1_250n, entries: 1 },
  ];
  // An entry takes effect at its instant.
  expect(await readStatement(db, id, '2026-11', new Date('2026-11-20T12:00:00Z'))).toMatchObject({
    totals: totals.map((total) => ({ ...total, isScheduled: false })),
  });
  expect(await readStatement(db, id, '2026-11', now)).toMatchObject({
    openingCents: 500n,
    totals,
    entries: [
      { reference: 'first', amountCents: -700n, takesEffectAt: new Date('2026-11-10T12:00:00Z') },
      { reference: 'later', amountCents: 1_250n, reverses: null, reversedBy: null },
    ],
    closingCents: 1_050n,
  });
  expect(await readStatement(db, id, '2025-01', now)).toMatchObject({
    openingCents: 0n,
    totals: [],
    entries: [],
  });
  const rows = Array.from({ length: 500 }, (_, index) => ({
    customerId: id,
    amountCents: 1n,
    takesEffectAt: new Date('2026-07-10T00:00:00Z'),
    reference: `row-${index}`,
  }));
  await insertEntries(db, rows);
  expect((await readStatement(db, id, '2026-07', now)).entries).toHaveLength(500);
  await entry(username, 'one more', '2026-07-11T00:00:00Z', 1n);
  expect((await readStatement(db, id, '2026-07', now)).entries).toBeNull();
});
