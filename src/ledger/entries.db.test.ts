import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { openPool } from '#db/client.ts';
import type { Context } from '#src/audit.ts';
import { getCity } from '#src/cities/city.ts';
import { importCity } from '#src/cities/import-city.ts';
import type { CityFeature } from '#src/cities/read-geojson.ts';
import { listAudit } from '#src/customers/list-audit.ts';
import { setStatus, updateCustomer } from '#src/customers/update-customer.ts';
import { onPostgres } from '#tools/testing/citus.ts';
import { testDatabase, waitingForLock } from '#tools/testing/database.ts';
import {
  insertEntries,
  newCity,
  newCustomer,
  newEntry,
  type TestCustomer,
} from '#tools/testing/factories.ts';
import { addEntry, throwBalanceOutOfRange } from './add-entry.ts';
import type { EntryKind } from './entry.ts';
import { listEntries } from './list-entries.ts';
import { findMonthStarts, syncZoneMonths } from './month.ts';
import { reverseEntry } from './reverse-entry.ts';
import { rebuildLedger, verifyLedger } from './verify-ledger.ts';

const { db, sql, operatorUrl } = await testDatabase();
const ctx = { db, actor: 'operator:tester' };

const entry = (username: string, reference: string, at: string, amountCents: bigint, kind?: EntryKind) =>
  newEntry(db, { username }, { amountCents, takesEffectAt: new Date(at), reference, ...(kind && { kind }) });
const monthsOf = (id: number) =>
  sql<{ month: string; cents: string }[]>`
    SELECT month::text, amount_cents::text AS cents FROM ledger_months WHERE customer_id = ${id} ORDER BY 1`.then(
    (rows) => rows.map(({ month, cents }) => `${month} ${cents}`),
  );

test("addEntry: counts an entry in the month of the city's time zone", async () => {
  const { username, id } = await newCustomer(db);
  await entry(username, 'last of October', '2026-11-01T06:59:59Z', 1n);
  await entry(username, 'first of November', '2026-11-01T07:00:00Z', 10n);
  await entry(username, 'credit', '2026-11-05T00:00:00Z', 3n, 'credit');
  await entry(username, 'payment', '2026-11-06T00:00:00Z', 5n, 'payment');
  expect(await monthsOf(id)).toEqual(['2026-10-01 1', '2026-11-01 2']);
});

/** A feature that changes a city's time zone. */
async function featureIn(slug: string, timezone: string): Promise<CityFeature> {
  const city = await getCity(db, slug);
  const ring = (JSON.parse(city.polygonPoints) as number[][]).map(([lat, lng]) => [lng, lat]);
  return {
    geometry: { type: 'Polygon', coordinates: [ring] },
    properties: {
      slug,
      name: city.name,
      timezone,
      base_price: 5.5,
      delivery_prices: city.deliveryPrices,
      latitude: city.latitude,
      longitude: city.longitude,
    },
  };
}

test('importCity: a changed time zone moves entries to their new months in the same statement', async () => {
  const {
    username,
    id,
    city: { slug },
  } = await newCustomer(db);
  await entry(username, 'a', '2026-11-01T06:30:00Z', 1n);
  const imported = await importCity(ctx, await featureIn(slug, 'America/New_York'));
  expect(imported).toMatchObject({ outcome: 'updated', isZoneChanged: true });
  expect(await monthsOf(id)).toEqual(['2026-11-01 1']);
  const { slug: citySlug } = await newCity(db, { timezone: 'Pacific/Honolulu' });
  await updateCustomer(ctx, { username, citySlug });
  expect(await monthsOf(id)).toEqual(['2026-10-01 1']);
  expect((await verifyLedger(db)).differences).toEqual([]);
});

type Change = (ctx: Context) => Promise<unknown>;

/** Runs `first` in a transaction, starts `second`, and commits when `second` waits or is done. */
async function interleaved(first: Change, second: Change): Promise<void> {
  const [one, two] = [
    openPool(operatorUrl, { connectionsMax: 1 }),
    openPool(operatorUrl, { connectionsMax: 1 }),
  ];
  try {
    await one.db.execute('begin');
    await first({ db: one.db, actor: 'first' });
    const [self] = await two.db.execute<{ pid: number }>('select pg_backend_pid() as pid');
    let isDone = false;
    const after = second({ db: two.db, actor: 'second' }).then(() => {
      isDone = true;
    });
    const isWaiting = async () => (await waitingForLock(sql)).includes(self?.pid ?? 0);
    while (!isDone && !(await isWaiting())) await setImmediate();
    await one.db.execute('commit');
    await after;
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
}

describe('addEntry: a concurrent entry lands in the right month, whichever begins first', () => {
  const add =
    (customer: TestCustomer, reference: string): Change =>
    (own) =>
      newEntry(own.db, customer, {
        amountCents: 1n,
        takesEffectAt: new Date('2026-10-31T20:00:00Z'),
        reference,
      });

  test('during a time zone change', async () => {
    const customer = await newCustomer(db);
    const { id, username, city } = customer;
    const tokyo = await featureIn(city.slug, 'Asia/Tokyo');
    const losAngeles = await featureIn(city.slug, 'America/Los_Angeles');
    await interleaved(add(customer, 'a'), (own) => importCity(own, tokyo));
    expect(await monthsOf(id)).toEqual(['2026-11-01 1']);
    await interleaved((own) => importCity(own, losAngeles), add(customer, 'b'));
    expect(await monthsOf(id)).toEqual(['2026-10-01 2']);
    expect((await verifyLedger(db, username)).differences).toEqual([]);
  });

  test('during a change of the customer’s city', async () => {
    const customer = await newCustomer(db);
    const { id, username, city } = customer;
    const { slug: east } = await newCity(db, { timezone: 'Asia/Tokyo' });
    await interleaved(add(customer, 'a'), (own) => updateCustomer(own, { username, citySlug: east }));
    expect(await monthsOf(id)).toEqual(['2026-11-01 1']);
    await interleaved((own) => updateCustomer(own, { username, citySlug: city.slug }), add(customer, 'b'));
    expect(await monthsOf(id)).toEqual(['2026-10-01 2']);
    expect((await verifyLedger(db, username)).differences).toEqual([]);
  });

  test('during a rebuild of the ledger', async () => {
    const customer = await newCustomer(db);
    const { id, username } = customer;
    await interleaved(add(customer, 'a'), (own) => rebuildLedger(own, username));
    await interleaved((own) => rebuildLedger(own, username), add(customer, 'b'));
    expect(await monthsOf(id)).toEqual(['2026-10-01 2']);
  });
});

describe('a city whose months change locks its customers first, as a rebuild of the ledger and a move do', () => {
  /** Holds the customer, and then locks the city: a deadlock if the change holds the city and waits for the customer. */
  async function duringRebuild({ id, city }: TestCustomer, change: () => Promise<unknown>): Promise<void> {
    const rebuild = await sql.reserve();
    await rebuild`begin`;
    await rebuild`select from customers where id = ${id} for update`;
    const changing = change();
    try {
      await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
      await rebuild`select from cities where slug = ${city.slug} for key share nowait`;
    } finally {
      await rebuild`rollback`;
      rebuild.release();
      await changing;
    }
  }

  test('importCity', async () => {
    const customer = await newCustomer(db);
    await entry(customer.username, 'a', '2026-11-01T06:30:00Z', 1n);
    const moved = await featureIn(customer.city.slug, 'America/New_York');
    await duringRebuild(customer, () => importCity(ctx, moved));
    expect(await monthsOf(customer.id)).toEqual(['2026-11-01 1']);
  });

  test('syncZoneMonths', async () => {
    const customer = await newCustomer(db);
    await entry(customer.username, 'a', '2026-11-01T06:30:00Z', 1n);
    await sql`update cities set month_starts = '{2026-11-01 06:00Z}' where slug = ${customer.city.slug}`;
    await sql`update ledger_months set month = '1970-01-01' where customer_id = ${customer.id}`;
    await duringRebuild(customer, () => syncZoneMonths(db));
    expect(await monthsOf(customer.id)).toEqual(['2026-10-01 1']);
  });
});

test('importCity: a new price locks no customer', async () => {
  const { id, city } = await newCustomer(db);
  const rebuild = await sql.reserve();
  await rebuild`begin`;
  await rebuild`select from customers where id = ${id} for update`;
  const { properties, ...feature } = await featureIn(city.slug, 'America/Los_Angeles');
  const changed = { ...feature, properties: { ...properties, base_price: 7.25 } };
  expect(await importCity(ctx, changed)).toMatchObject({ outcome: 'updated', isZoneChanged: false });
  await rebuild`rollback`;
  rebuild.release();
});

describe('a customer who moves to a city that is created while the statement waits for the customer', () => {
  /** Holds the customer, as a rebuild of the ledger does, until the customer has moved. */
  async function whileMoving<T>({ id, username }: TestCustomer, run: () => Promise<T>): Promise<T> {
    const rebuild = await sql.reserve();
    await rebuild`begin`;
    await rebuild`select from customers where id = ${id} for update`;
    const waiting = run();
    await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
    const { slug } = await newCity(db);
    await rebuild`update customers set city_id = (select id from cities where slug = ${slug}) where username = ${username}`;
    await rebuild`commit`;
    rebuild.release();
    return waiting;
  }

  test('addEntry: adds the entry', async () => {
    const customer = await newCustomer(db);
    await whileMoving(customer, () => entry(customer.username, 'moved', '2026-11-20T10:00:00Z', 7n));
    expect(await monthsOf(customer.id)).toEqual(['2026-11-01 7']);
  });

  test('reverseEntry: reverses the entry', async () => {
    const customer = await newCustomer(db);
    await entry(customer.username, 'moved', '2026-11-20T10:00:00Z', 7n);
    await whileMoving(customer, () => reverseEntry(ctx, { username: customer.username, reference: 'moved' }));
    expect(await monthsOf(customer.id)).toEqual(['2026-11-01 0']);
  });
});

test('addEntry, reverseEntry: change nothing when they wait for the erasure of the customer', async () => {
  const { username, id } = await newCustomer(db);
  await entry(username, 'before', '2026-11-20T10:00:00Z', 7n);
  const results: Promise<unknown>[] = [];
  await sql.begin(async (erasure) => {
    await erasure`update customers set username = ${`erased:${id}`}, erased_at = now() where id = ${id}`;
    results.push(entry(username, 'meanwhile', '2026-11-20T10:00:00Z', 1n));
    results.push(reverseEntry(ctx, { username, reference: 'before' }));
    for (const result of results) result.catch(() => {});
    await expect.poll(() => waitingForLock(sql)).toHaveLength(2);
  });
  const notFound = { status: 'rejected', reason: expect.objectContaining({ code: 'not_found' }) };
  expect(await Promise.allSettled(results)).toEqual([notFound, notFound]);
  expect(await monthsOf(id)).toEqual(['2026-11-01 7']);
  await entry(`erased:${id}`, 'afterward', '2026-11-20T10:00:00Z', 1n);
  expect(await monthsOf(id)).toEqual(['2026-11-01 8']);
});

test('reverseEntry: reverses an entry once, at the instant of the original', async () => {
  const { username, id } = await newCustomer(db);
  const original = await entry(username, 'paid', '2026-03-03T03:03:03Z', 500n, 'payment');
  const reversal = await reverseEntry(ctx, { username, reference: 'paid' });
  expect(reversal).toMatchObject({
    kind: 'payment',
    amountCents: 500n,
    takesEffectAt: original.takesEffectAt,
  });
  const again = reverseEntry(ctx, { username, reference: 'paid' });
  await expect(again).rejects.toMatchObject({
    code: 'refused',
    message: 'This entry is already reversed.',
  });
  await expect(reverseEntry(ctx, { username, reference: reversal.reference })).rejects.toMatchObject({
    code: 'refused',
    message: 'This entry is a reversal, which can’t be reversed. Add the charge again instead.',
  });
  await expect(reverseEntry(ctx, { username, reference: 'none' })).rejects.toMatchObject({
    code: 'not_found',
    message: 'The customer has no entry with this reference.',
  });
  const { entries } = await listEntries(db, id, { limit: 10 });
  expect(entries.map(({ reverses, reversedBy }) => [reverses, reversedBy])).toEqual([
    ['paid', null],
    [null, reversal.reference],
  ]);
});

test.each(['reversal:INV-1', 'reversal:'])(
  'addEntry: rejects the reference %s, so that INV-1 can be reversed',
  async (reference) => {
    const { username } = await newCustomer(db);
    await entry(username, 'INV-1', '2026-03-03T03:03:03Z', 500n);
    await expect(entry(username, reference, '2026-03-03T03:03:03Z', 1n)).rejects.toMatchObject({
      code: 'invalid_input',
      details: [{ param: 'reference', message: expect.stringContaining('reserved') }],
    });
    await expect(reverseEntry(ctx, { username, reference: 'INV-1' })).resolves.toMatchObject({
      reference: 'reversal:INV-1',
      reverses: 'INV-1',
    });
  },
);

test('addEntry: rejects a balance beyond 2^53 cents and is exact up to it', async () => {
  const { username, id } = await newCustomer(db);
  const huge = { amountCents: 9_007_199_254_740_990n, takesEffectAt: new Date('2026-01-10T00:00:00Z') };
  await insertEntries(db, [{ customerId: id, reference: 'huge', ...huge }]);
  await entry(username, 'the last cent', '2026-01-12T00:00:00Z', 1n);
  await expect(entry(username, 'one more', '2026-01-13T00:00:00Z', 1n)).rejects.toMatchObject({
    code: 'refused',
  });
  // The balance at the end of an earlier month counts too.
  await entry(username, 'lower', '2026-03-10T00:00:00Z', 1_000n, 'credit');
  await expect(entry(username, 'meanwhile', '2026-02-10T00:00:00Z', 5n)).rejects.toMatchObject({
    code: 'refused',
  });
  expect(await monthsOf(id)).toEqual(['2026-01-01 9007199254740991', '2026-03-01 -1000']);
});

test('addEntry: passes on an error that is not about the balance', () => {
  const failure = new Error('The connection was lost.');
  expect(() => throwBalanceOutOfRange(failure)).toThrow(failure);
});

test('addEntry: locks no customer whose balance is far from the limit', async () => {
  const { username, id } = await newCustomer(db);
  const statement = await sql.reserve();
  await entry(username, 'usual', '2026-11-20T10:00:00Z', 100_000_000_000n - 1n);
  await statement`begin`;
  await statement`select assert_balance_in_range(array[${id}]::bigint[])`;
  await sql`select from customers where id = ${id} for no key update nowait`;
  await statement`rollback`;
  statement.release();
});

test('addEntry: two concurrent entries in different months cannot exceed 2^53 cents together', async () => {
  const customer = await newCustomer(db);
  const huge = { amountCents: 9_007_199_254_740_981n, takesEffectAt: new Date('2026-01-10T00:00:00Z') };
  await insertEntries(db, [{ customerId: customer.id, reference: 'huge', ...huge }]);
  const add =
    (at: string): Change =>
    (own) =>
      newEntry(own.db, customer, { amountCents: 6n, takesEffectAt: new Date(at) });
  let outcome: unknown;
  await interleaved(add('2026-02-10T00:00:00Z'), async (own) => {
    outcome = await add('2026-03-10T00:00:00Z')(own).catch((error) => error);
  });
  expect(outcome).toMatchObject({ code: 'refused' });
  expect(await monthsOf(customer.id)).toEqual(['2026-01-01 9007199254740981', '2026-02-01 6']);
});

test.each([
  ['a negative delivery', 'amount', { kind: 'delivery', amountCents: -1n }],
  ['a negative payment', 'amount', { kind: 'payment', amountCents: -1n }],
  ['an empty credit', 'amount', { kind: 'credit', amountCents: 0n }],
  ['an amount over the limit', 'amount', { kind: 'delivery', amountCents: 100_000_000_000n }],
  ['an adjustment under the limit', 'amount', { kind: 'adjustment', amountCents: -100_000_000_000n }],
  ['a NUL', 'description', { description: 'a\0b' }],
  ['a lone surrogate', 'description', { description: 'a\ud800b' }],
  ['a reference with a control character', 'reference', { reference: 'a\u202eb' }],
  ['no reference', 'reference', { reference: '  ' }],
] as const)('addEntry: refuses %s and names the %s', async (_, param, input) => {
  const { username, id } = await newCustomer(db);
  const sound = { kind: 'delivery', amountCents: 1n, description: '', reference: 'r' } as const;
  const adding = addEntry(ctx, { username, takesEffectAt: new Date(), ...sound, ...input });
  const message = expect.stringMatching(/\.$/);
  await expect(adding).rejects.toMatchObject({
    code: 'invalid_input',
    message,
    details: [{ param, message }],
  });
  expect(await monthsOf(id)).toEqual([]);
});

test('addEntry: refuses a reference that the customer has, which others can use too', async () => {
  const [{ username, id }, other] = [await newCustomer(db), await newCustomer(db)];
  await entry(username, 'INV-1', '2026-05-05T00:00:00Z', 1n);
  await expect(entry(username, 'INV-1', '2026-06-05T00:00:00Z', 2n)).rejects.toMatchObject({
    code: 'already_exists',
    message: expect.stringContaining('so nothing was added. To add a charge again, use a new reference.'),
  });
  await entry(other.username, 'INV-1', '2026-05-05T00:00:00Z', 3n);
  expect(await monthsOf(id)).toEqual(['2026-05-01 1']);
});

test('addEntry: takes amounts up to the limit, of either sign', async () => {
  const { username, id } = await newCustomer(db);
  await entry(username, 'most', '2026-05-05T00:00:00Z', 99_999_999_999n);
  await entry(username, 'least', '2026-06-05T00:00:00Z', -99_999_999_999n, 'adjustment');
  expect(await monthsOf(id)).toEqual(['2026-05-01 99999999999', '2026-06-01 -99999999999']);
});

test("reverseEntry: names the original in a description of at most 500 characters, and only the customer's own", async () => {
  const { username } = await newCustomer(db);
  const { username: other } = await newCustomer(db);
  const description = 'x'.repeat(500);
  await newEntry(db, { username }, { kind: 'credit', amountCents: 1n, description, reference: 'long' });
  await expect(reverseEntry(ctx, { username: other, reference: 'long' })).rejects.toMatchObject({
    code: 'not_found',
  });
  const reversal = await reverseEntry(ctx, { username, reference: 'long' });
  expect(reversal).toMatchObject({ kind: 'credit', description: `Reversal: ${'x'.repeat(490)}` });
  const [audited] = await listAudit(db, { username, limit: 1 });
  expect(audited).toMatchObject({
    before: { amount_cents: -1 },
    after: { amount_cents: 1, reference: 'reversal:long' },
  });
});

test('listEntries: returns descriptions unchanged', async () => {
  const { username, id } = await newCustomer(db);
  const description = '=1+1 \u001b[31m \u202e %_\\ \' " <script> 日本';
  await newEntry(db, { username }, { amountCents: 1n, description });
  const { entries } = await listEntries(db, id, { limit: 1, text: '%_\\ \' "' });
  expect(entries[0]?.description).toBe(description);
});

test('verifyLedger, rebuildLedger: find wrong, missing, and superfluous monthly totals, and rebuild them from the entries', async () => {
  const { username, id } = await newCustomer(db);
  const { username: other } = await newCustomer(db);
  for (const month of ['05', '06', '07']) await entry(username, month, `2026-${month}-05T00:00:00Z`, 5n);
  await sql`UPDATE ledger_months SET amount_cents = 6 WHERE customer_id = ${id} AND month = '2026-05-01'`;
  await sql`UPDATE ledger_months SET entries = 2 WHERE customer_id = ${id} AND month = '2026-06-01'`;
  await sql`UPDATE ledger_months SET month = '2026-08-01' WHERE customer_id = ${id} AND month = '2026-07-01'`;
  const right = { username, entriesCents: 5n, rollupCents: 5n, entries: 1, rollupEntries: 1 };
  expect(await verifyLedger(db, username)).toEqual({
    entries: 3,
    months: 3,
    differences: [
      { ...right, month: '2026-05-01', rollupCents: 6n },
      { ...right, month: '2026-06-01', rollupEntries: 2 },
      { ...right, month: '2026-07-01', rollupCents: 0n, rollupEntries: 0 },
      { ...right, month: '2026-08-01', entriesCents: 0n, entries: 0 },
    ],
  });
  expect((await verifyLedger(db, other)).differences).toEqual([]);
  const onProgress = vi.fn();
  const inSlices = await verifyLedger(db, undefined, { customersPerSlice: 1, onProgress });
  expect(inSlices).toEqual(await verifyLedger(db));
  expect(inSlices.differences).toHaveLength(4);
  const [counted] = await sql`
    SELECT count(*)::int AS customers, (SELECT count(*)::int FROM ledger_entries) AS entries,
      (SELECT count(*)::int FROM ledger_months) AS months FROM customers`;
  expect(inSlices).toMatchObject({ entries: counted?.entries, months: counted?.months });
  expect(onProgress.mock.calls.at(-1)).toEqual([counted?.customers]);
  expect(onProgress).toHaveBeenCalledTimes(counted?.customers);
  expect(await rebuildLedger(ctx, username)).toBe(3);
  expect(await verifyLedger(db, username)).toEqual({ entries: 3, months: 3, differences: [] });
  expect((await listAudit(db, { username, limit: 1 }))[0]).toMatchObject({
    action: 'ledger.rebuilt',
    subject: username,
  });
});

test('rebuildLedger: a month begins when Node.js says, where PostgreSQL knows another rule', async () => {
  const { id, city } = await newCustomer(db, { city: await newCity(db, { timezone: 'America/Denver' }) });
  const starts = await sql<
    { starts: Date[] | null }[]
  >`SELECT month_starts AS starts FROM cities WHERE slug = ${city.slug}`;
  // Both know the same rules today.
  expect(starts).toEqual([{ starts: null }]);
  await insertEntries(db, [
    {
      customerId: id,
      amountCents: 1n,
      takesEffectAt: new Date('2026-11-01T06:30:00Z'),
      reference: 'a',
    },
  ]);
  expect(await monthsOf(id)).toEqual(['2026-11-01 1']);
  // A city whose months were those of other rules, an hour later.
  await sql`UPDATE cities SET month_starts = ARRAY(
    SELECT generate_series(timestamptz '1970-01-01 08:00Z', '2099-12-01 08:00Z', interval '1 month')) WHERE slug = ${city.slug}`;
  await sql`UPDATE ledger_months SET month = '2026-10-01' WHERE customer_id = ${id}`;
  expect((await verifyLedger(db)).differences).toEqual([]);
  await rebuildLedger(ctx);
  expect(await monthsOf(id)).toEqual(['2026-11-01 1']);
  expect((await verifyLedger(db)).differences).toEqual([]);
  const [audited] = await sql`
    select subject, customer_id::int as customer from audit where action = 'ledger.rebuilt' order by id desc limit 1`;
  expect(audited).toEqual({ subject: 'everyone', customer: 0 });
});

onPostgres('row locks', () => {
  test('rebuildLedger: for everyone, locks the customers of one statement at a time', async () => {
    const [first, last] = [await newCustomer(db), await newCustomer(db)];
    for (const { username } of [first, last]) await entry(username, 'a', '2026-05-05T00:00:00Z', 5n);
    await sql`update ledger_months set amount_cents = 6 where customer_id in (${first.id}, ${last.id})`;
    let rebuilding: Promise<number> | undefined;
    await sql.begin(async (other) => {
      await other`select from customers where id = ${last.id} for key share`;
      rebuilding = rebuildLedger(ctx, undefined, { customersPerSlice: 1 });
      await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
      // As the foreign keys of its sessions and cards lock it.
      await sql`select from customers where id = ${first.id} for key share nowait`;
      expect(await monthsOf(first.id)).toEqual(['2026-05-01 5']);
    });
    const months = await rebuilding;
    expect(await verifyLedger(db)).toMatchObject({ months, differences: [] });
    const audited = await sql`
      select (after ->> 'months')::int as months from audit
      where action = 'ledger.rebuilt' and subject = 'everyone' order by id desc limit 1`;
    expect(audited).toEqual([{ months }]);
  });
});

test('verifyLedger: returns the first 1,000 differences, also of several slices', async () => {
  const customers = [await newCustomer(db), await newCustomer(db)];
  await sql`
    insert into ledger_months (customer_id, month, amount_cents, entries)
    select id, month, 1, 1 from unnest(${customers.map(({ id }) => id)}::bigint[]) id,
      generate_series(date '1970-01-01', date '2029-12-01', interval '1 month') month`;
  const { differences } = await verifyLedger(db);
  expect(differences).toHaveLength(1_000);
  expect(await verifyLedger(db, undefined, { customersPerSlice: 1 })).toMatchObject({ differences });
  await sql`delete from ledger_months where customer_id = any(${customers.map(({ id }) => id)})`;
});

test('findMonthStarts: has the months of 1970 to 2099 only where PostgreSQL knows another rule', async () => {
  expect(await findMonthStarts(db, 'America/Denver')).toBeNull();
  // For PostgreSQL, as in POSIX, a positive offset is west of Greenwich.
  const starts = (await findMonthStarts(db, '+08:00')) ?? [];
  expect(starts).toHaveLength(130 * 12);
  expect([starts[0], starts[1], starts.at(-1)].map((start) => start?.toISOString())).toEqual([
    '1969-12-31T16:00:00.000Z',
    '1970-01-31T16:00:00.000Z',
    '2099-11-30T16:00:00.000Z',
  ]);
});

test('syncZoneMonths: a zone that this Node.js does not know stops nothing', async () => {
  const [{ city: unknown }, { city }] = [await newCustomer(db), await newCustomer(db)];
  await sql`update cities set timezone = 'Nowhere/Else' where slug = ${unknown.slug}`;
  await sql`update cities set month_starts = '{2026-11-01 08:00Z}' where slug = ${city.slug}`;
  await syncZoneMonths(db);
  expect(await sql`select month_starts from cities where slug = ${city.slug}`).toEqual([
    { month_starts: null },
  ]);
  await sql`update cities set timezone = 'UTC' where slug = ${unknown.slug}`;
});

test('listAudit: records actor, action, before, and after of every change', async () => {
  const { username } = await newCustomer(db);
  await updateCustomer(ctx, { username, phone: '555-0177' });
  await setStatus(ctx, { username, status: 'Suspended' });
  await setStatus(ctx, { username, status: 'Suspended' });
  await entry(username, 'r1', '2026-05-05T00:00:00Z', 5n);
  await reverseEntry(ctx, { username, reference: 'r1' });
  const audit = await listAudit(db, { username, limit: 10 });
  expect(audit.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
    ['operator:tester', 'entry.reversed', 'r1'],
    ['tests', 'entry.added', 'r1'],
    ['operator:tester', 'customer.suspended', username],
    ['operator:tester', 'customer.updated', username],
    ['tests', 'customer.created', username],
  ]);
  expect(audit[2]).toMatchObject({ before: { status: 'Active' }, after: { status: 'Suspended' } });
  expect(audit[3]).toMatchObject({ before: { phone: '4155550100' }, after: { phone: '555-0177' } });
});
