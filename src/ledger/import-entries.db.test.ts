import { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { eraseCustomer } from '#src/customers/erase-customer.ts';
import { listAudit } from '#src/customers/list-audit.ts';
import { updateCustomer } from '#src/customers/update-customer.ts';
import { onPostgres } from '#tools/testing/citus.ts';
import { testDatabase, waitingForLock } from '#tools/testing/database.ts';
import { contextOf, insertEntries, newCity, newCustomer, newEntry } from '#tools/testing/factories.ts';
import { importEntries } from './import-entries.ts';
import { copyLine, LedgerImport } from './import-queries.ts';
import { listEntries } from './list-entries.ts';
import { reverseEntry } from './reverse-entry.ts';

const { db, sql, operatorUrl: url } = await testDatabase();
const at = '2026-11-20T14:30:00Z';
const atMs = Date.parse(at);
const head = 'username,kind,amount,miles,at,description,reference';

const importing = (...rows: string[]) =>
  importEntries({
    url,
    actor: 'operator:tester',
    source: Readable.from([Buffer.from([head, ...rows].join('\n'))]),
    name: 'charges.csv',
  });
const problemsOf = async (...rows: string[]) =>
  (await importing(...rows)).problems.map(({ line, column, message }) => `${line} ${column}: ${message}`);
async function* linesOf(...rows: Parameters<typeof copyLine>[0][]) {
  for (const row of rows) yield copyLine(row);
}
/** The outcome of an import that adds nothing. */
const nothing = {
  added: 0,
  alreadyThere: 0,
  reversed: 0,
  customers: 0,
  skipped: [],
  problems: [],
  problemsLeftOut: 0,
};
const entriesOf = async (id: number) => (await listEntries(db, id, { limit: 50 })).entries;

test('charge import: a row by miles costs the base price plus the first item that reaches the distance', async () => {
  const { username, id, city } = await newCustomer(db);
  await sql`UPDATE cities SET base_price_cents = 650,
    delivery_prices = '{"items":[{"mile":10,"amount":4.35},{"mile":2.5,"amount":0.29}]}' WHERE slug = ${city.slug}`;
  const miles = ['0', '2.5', '2.500001', '10'];
  await importing(...miles.map((distance) => `${username},,,${distance},${at},,${distance}`));
  const prices = (await entriesOf(id)).map(({ reference, amountCents }) => [reference, amountCents]);
  expect(prices.toReversed()).toEqual([
    ['0', 679n],
    ['2.5', 679n],
    ['2.500001', 1_085n],
    ['10', 1_085n],
  ]);
  expect(await problemsOf(`${username},,,10.000001,${at},,`)).toEqual([
    "2 miles: The price table of the customer's city ends before that distance.",
  ]);
});

test('charge import: ends its connection when its first statement fails', async () => {
  const database = decodeURIComponent(new URL(url).pathname.slice(1));
  await sql`alter database ${sql(database)} set default_transaction_read_only = on`;
  await expect(LedgerImport.begin(url)).rejects.toMatchObject({ code: '25006' });
  await sql`alter database ${sql(database)} reset default_transaction_read_only`;
  const aborted = () => sql`
    select from pg_stat_activity where state = 'idle in transaction (aborted)' and datname = ${database}`;
  await expect.poll(async () => (await aborted()).count).toBe(0);
});

onPostgres('row locks', () => {
  test('charge import: does not lock its customers while it runs, so that their cards and sessions do not wait', async () => {
    const { username, id } = await newCustomer(db);
    const ledger = await LedgerImport.begin(url);
    try {
      await ledger.stage(linesOf([2, username, 'delivery', 100, null, atMs, '', 'one']));
      await ledger.resolve(true);
      expect(await ledger.add('operator:tester', { name: 'charges.csv', sha256: '' })).toMatchObject({
        added: 1,
      });
      expect(await sql`select from customers where id = ${id} for no key update nowait`).toHaveLength(1);
      await ledger.commit();
    } finally {
      await ledger.end();
    }
    expect(await entriesOf(id)).toHaveLength(1);
  });
});

onPostgres('row locks', () => {
  test('charge import: ends while another entry of a customer and month waits for it', async () => {
    const { username, id } = await newCustomer(db);
    // So high that the commit locks the customer.
    const old = { customerId: id, takesEffectAt: new Date('2026-01-15T12:00:00Z'), reference: 'old' };
    await insertEntries(db, [{ ...old, amountCents: 2_000_000_000_000n }]);
    const ledger = await LedgerImport.begin(url);
    try {
      await ledger.stage(linesOf([2, username, 'delivery', 100, null, atMs, '', 'one']));
      await ledger.resolve(true);
      await ledger.add('operator:tester', { name: 'charges.csv', sha256: '' });
      const added = newEntry(db, { username }, { amountCents: 1n, takesEffectAt: new Date(at) });
      await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
      // Otherwise the commit, which locks the customer, would wait for the entry: a deadlock.
      expect(await sql`select from customers where id = ${id} for no key update nowait`).toHaveLength(1);
      await ledger.commit();
      await added;
    } finally {
      await ledger.end();
    }
    expect(await entriesOf(id)).toHaveLength(3);
  });

  test('charge import: succeeds while one of its customers is erased, which waits for it', async () => {
    const { username, id } = await newCustomer(db);
    const ledger = await LedgerImport.begin(url);
    let erasure: ReturnType<typeof eraseCustomer> | undefined;
    const erase = (options = {}) => eraseCustomer({ db, actor: 'operator:tester' }, username, options);
    try {
      await ledger.stage(linesOf([2, username, 'delivery', 100, null, atMs, '', 'one']));
      await ledger.resolve(true);
      await ledger.add('operator:tester', { name: 'charges.csv', sha256: '' });
      await expect(erase({ attemptsMax: 1 })).rejects.toMatchObject({ code: 'refused' });
      erasure = erase();
      await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
      await ledger.commit();
    } finally {
      await ledger.end();
    }
    expect(await erasure).toEqual({ id, username: `erased:${id}`, balanceCents: 100n });
  });
});

test('charge import: adds nothing after the erasure of a customer, who was found before, has printed the balance', async () => {
  const [one, other] = [await newCustomer(db), await newCustomer(db)];
  const erase = ({ username }: { username: string }) =>
    eraseCustomer({ db, actor: 'operator:tester' }, username);
  const erased: Awaited<ReturnType<typeof erase>>[] = [];
  const add = vi.spyOn(LedgerImport.prototype, 'add').mockImplementationOnce(async function (
    this: LedgerImport,
    ...input
  ) {
    erased.push(await erase(one));
    return this.add(...input);
  });
  const rows = [one, other].map(({ username }) => `${username},,1,,${at},,late`);
  try {
    expect(await problemsOf(...rows)).toEqual(['2 username: There is no customer with this username.']);
  } finally {
    add.mockRestore();
  }
  expect(erased).toMatchObject([{ balanceCents: 0n }]);
  expect([await entriesOf(one.id), await entriesOf(other.id)]).toEqual([[], []]);
  // To settle its balance.
  expect(await importing(`erased:${one.id},payment,1,,${at},,settled`)).toMatchObject({ added: 1 });
});

test('charge import: a reference twice in a file is a problem of each line after the first', async () => {
  const [one, other] = [await newCustomer(db), await newCustomer(db)];
  const row = ({ username }: { username: string }, amount: number) => `${username},,${amount},,${at},,twice`;
  expect(await problemsOf(row(one, 1), row(other, 1), row(one, 1), row(one, 2))).toEqual([
    '4 reference: The customer already has this reference in line 2.',
    '5 reference: The customer already has this reference in line 2.',
  ]);
  expect(await entriesOf(one.id)).toEqual([]);
});

test.each([
  ['kind', `adjustment,1,,${at},To the fair`],
  ['amount', `delivery,2,,${at},To the fair`],
  ['time', 'delivery,1,,2026-11-20T14:30:01Z,To the fair'],
  ['description', `delivery,1,,${at},To the fairs`],
])('charge import: a reference of an entry with another %s is a conflict', async (_, cells) => {
  const { username } = await newCustomer(db);
  expect(await importing(`${username},delivery,1,,${at},To the fair,INV-1`)).toMatchObject({ added: 1 });
  expect(await problemsOf(`${username},${cells},INV-1`)).toEqual([
    '2 reference: A different entry of the customer has this reference. Give the row another reference.',
  ]);
});

test('charge import: adds nothing of a file with a conflict, and ends its connection', async () => {
  const { username, id } = await newCustomer(db);
  await importing(`${username},,1,,${at},,INV-1`);
  expect(await importing(`${username},,2,,${at},,INV-1`, `${username},,3,,${at},,INV-2`)).toEqual({
    ...nothing,
    rows: 2,
    problems: [expect.objectContaining({ line: 2, column: 'reference' })],
  });
  expect(await entriesOf(id)).toMatchObject([{ reference: 'INV-1' }]);
  const inTransaction = async () => sql`
    select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
  await expect.poll(inTransaction).toHaveLength(0);
});

test('charge import: adds nothing if a balance would pass 2^53 cents', async () => {
  const { username, id } = await newCustomer(db);
  const huge = { amountCents: 9_007_199_254_740_991n, takesEffectAt: new Date(at), reference: 'huge' };
  await insertEntries(db, [{ customerId: id, ...huge }]);
  await expect(importing(`${username},,0.01,,${at},,`)).rejects.toMatchObject({ code: 'refused' });
  expect(await entriesOf(id)).toHaveLength(1);
});

test('charge import: equal rows without a reference are different entries, also beside rows with one', async () => {
  const { username, id } = await newCustomer(db);
  const row = (reference = '') => `${username},,1,,${at},,${reference}`;
  expect(await importing(row(), row())).toMatchObject({ added: 2 });
  const references = (await entriesOf(id)).map(({ reference }) => reference);
  expect(references.toSorted()).toEqual([
    expect.stringMatching(/^import-\w{32}-1$/),
    expect.stringMatching(/-2$/),
  ]);
  expect(await importing(row('INV-1'), row(), row(), row())).toMatchObject({ added: 2, alreadyThere: 2 });
});

test('charge import: a row whose reference is there leaves the rows before it in their order', async () => {
  const { username, id } = await newCustomer(db);
  const row = (reference: string) => `${username},,1,,${at},,${reference}`;
  await importing(row('b'));
  expect(await importing(row('d'), row('c'), row('b'), row('a'))).toMatchObject({
    added: 3,
    alreadyThere: 1,
  });
  expect((await entriesOf(id)).map(({ reference }) => reference)).toEqual(['a', 'c', 'd', 'b']);
  const [month] =
    await sql`select entries::integer, amount_cents::integer from ledger_months where customer_id = ${id}`;
  expect(month).toEqual({ entries: 4, amount_cents: 400 });
});

test('charge import: reports a row without a customer and a reference twice in a file together', async () => {
  const { username } = await newCustomer(db);
  const row = `${username},,1,,${at},,twice`;
  expect(await problemsOf(row, row, `nobody,,1,,${at},,`)).toEqual([
    '3 reference: The customer already has this reference in line 2.',
    '4 username: There is no customer with this username.',
  ]);
});

test('charge import: lists the rows that it skipped with their entries, and says which were reversed', async () => {
  const { username, id } = await newCustomer(db);
  const row = (reference: string) => `${username},credit,1.25,,${at},,${reference}`;
  const rows = [row('INV-1'), row('INV-2')];
  expect(await importing(...rows)).toMatchObject({ added: 2 });
  const [entry] = await sql`select created_at from ledger_entries where customer_id = ${id} limit 1`;
  await reverseEntry({ db, actor: 'operator:tester' }, { username, reference: 'INV-2' });
  const skipped = { amountCents: -125n, addedAt: entry?.created_at };
  expect(await importing(...rows, row('INV-3'))).toEqual({
    ...nothing,
    rows: 3,
    added: 1,
    alreadyThere: 1,
    reversed: 1,
    customers: 1,
    skipped: [
      { line: 2, reference: 'INV-1', isReversed: false, ...skipped },
      { line: 3, reference: 'INV-2', isReversed: true, ...skipped },
    ],
  });
});

onPostgres('row locks', () => {
  test('charge import: adds a row whose customer moves to a new city while the import waits', async () => {
    const city = await newCity(db);
    const [first, moved] = [await newCustomer(db, { city }), await newCustomer(db, { city })];
    const rebuild = await sql.reserve();
    await rebuild`begin`;
    await rebuild`select from customers where id = ${first.id} for update`;
    const outcome = importing(`${first.username},,1.00,,${at},,A`, `${moved.username},,2.00,,${at},,B`);
    await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
    const { slug } = await newCity(db);
    await updateCustomer(contextOf(db), { username: moved.username, citySlug: slug });
    await rebuild`commit`;
    rebuild.release();
    expect(await outcome).toMatchObject({ added: 2, customers: 2, skipped: [] });
    expect(await entriesOf(moved.id)).toMatchObject([{ reference: 'B', amountCents: 200n }]);
  });
});

onPostgres('row locks', () => {
  test('charge import: adds to the month of the city that a customer moves to while the import waits', async () => {
    const { username, id } = await newCustomer(db);
    const { slug } = await newCity(db, { timezone: 'Pacific/Auckland' });
    const move = await sql.reserve();
    await move`begin`;
    await move`select from customers where id = ${id} for update`;
    // October where the customer is, and November where it moves to.
    const outcome = importing(`${username},,1.00,,2026-11-01T05:00:00Z,,A`);
    await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
    await move`update customers set city_id = (select id from cities where slug = ${slug}) where id = ${id}`;
    await move`commit`;
    move.release();
    await outcome;
    expect(await sql`select month::text from ledger_months where customer_id = ${id}`).toMatchObject([
      { month: '2026-11-01' },
    ]);
  });
});

test('charge import: audits the sum of each customer with the name and the hash of the file', async () => {
  const { username } = await newCustomer(db);
  const outcome = await importing(`${username},,1,,${at},,a`, `${username},payment,0.25,,${at},,b`);
  expect(outcome).toEqual({ ...nothing, rows: 2, added: 2, customers: 1 });
  expect(await listAudit(db, { username, limit: 1 })).toMatchObject([
    {
      actor: 'operator:tester',
      action: 'entries.imported',
      subject: 'charges.csv',
      after: { entries: 2, amount_cents: 75, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    },
  ]);
});

test('charge import: lists problems by line, whichever check found them', async () => {
  const { username } = await newCustomer(db);
  const rows = [`nobody,,1,,${at},,`, `${username},,x,,${at},,`, `nobody,,2,,${at},,`];
  expect((await problemsOf(...rows)).map((problem) => problem.split(':')[0])).toEqual([
    '2 username',
    '3 amount',
    '4 username',
  ]);
});

test('charge import: lists 100,000 problems and counts the others', async () => {
  const { problems, problemsLeftOut } = await importing(`nobody,,x,,${at},,\n`.repeat(100_002));
  expect([problems.length, problemsLeftOut]).toEqual([100_000, 2]);
});

test('charge import: says that the file was read before entries are added', async () => {
  const { username } = await newCustomer(db);
  const progress: unknown[] = [];
  const source = Readable.from([Buffer.from(`username,at,amount\n${username},${at},1`)]);
  const onProgress = (one: unknown) => progress.push(one);
  await importEntries({ url, actor: 'operator:tester', source, name: 'charges.csv', onProgress });
  expect(progress).toEqual([{ bytes: expect.any(Number), rows: 0 }, 'adding']);
});

test('charge import: keeps tabs, carriage returns, and backslashes of a description', async () => {
  const { username, id } = await newCustomer(db);
  await importing(`${username},,1,,${at},"a\tb\r\nc\\N",`);
  expect(await entriesOf(id)).toMatchObject([{ description: 'a\tb\r\nc\\N' }]);
});

test('charge import: the same file adds nothing, whatever the time zone of the database is', async () => {
  const { username } = await newCustomer(db);
  const row = `${username},,12.50,,${at},To the fair,`;
  expect(await importing(row)).toMatchObject({ added: 1 });
  await sql`alter database ${sql(new URL(url).pathname.slice(1))} set timezone = 'America/Los_Angeles'`;
  try {
    expect(await importing(row)).toMatchObject({ added: 0, alreadyThere: 1 });
  } finally {
    await sql`alter database ${sql(new URL(url).pathname.slice(1))} reset timezone`;
  }
});

test('charge import: fails when PostgreSQL ends it while the file is read', async () => {
  const { username, id } = await newCustomer(db);
  const row = `${username},,1,,${at},,\n`;
  async function* pieces() {
    yield Buffer.from(`${head}\n${row}`);
    const canceled = () => sql`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'copy import_rows%' and state = 'active'`;
    await expect.poll(canceled).toHaveLength(1);
    for (let piece = 0; piece < 20; piece += 1) yield Buffer.from(row.repeat(1_000));
  }
  const source = Readable.from(pieces());
  const failed = importEntries({ url, actor: 'operator:tester', source, name: 'charges.csv' });
  await expect(failed).rejects.toThrow(/canceling statement|refused the rows/);
  expect(await entriesOf(id)).toEqual([]);
});

test('charge import: fails when PostgreSQL refuses its last rows', async () => {
  const ledger = await LedgerImport.begin(url);
  try {
    const staged = ledger.stage(linesOf(['no line', 'acme', 'delivery', 100, null, atMs, '', 'one']));
    await expect(staged).rejects.toThrow(/invalid input syntax|refused the rows/);
  } finally {
    await ledger.end();
  }
});

onPostgres('row locks', () => {
  const rolledBack = new Error('Rolled back.');

  test('charge import: fails when its statement is canceled while it waits for a customer', async () => {
    const { username, id } = await newCustomer(db);
    const held = sql.begin(async (tx) => {
      await tx`select from customers where id = ${id} for update`;
      const outcome = importing(`${username},,1,,${at},,`);
      const canceled = expect(outcome).rejects.toMatchObject({ cause: { code: '57014' } });
      await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
      await sql`select pg_cancel_backend(pid) from unnest(${await waitingForLock(sql)}::integer[]) pid`;
      await canceled;
      throw rolledBack;
    });
    await expect(held).rejects.toBe(rolledBack);
    expect(await entriesOf(id)).toEqual([]);
  });

  test('charge import: two with the same references in another order add each once', async () => {
    const { username, id } = await newCustomer(db);
    const rows = ['first', 'held', 'last'].map((reference) => `${username},,1,,${at},,${reference}`);
    let outcomes: ReturnType<typeof importing>[] = [];
    const held = sql.begin(async (tx) => {
      await tx`insert into ledger_entries (customer_id, kind, amount_cents, takes_effect_at, description, reference)
        values (${id}, 'delivery', 100, ${at}, '', 'held')`;
      outcomes = [importing(...rows), importing(...rows.toReversed())];
      // Each waits for this entry, and has added the one that the other needs next.
      await expect.poll(() => waitingForLock(sql)).toHaveLength(2);
      throw rolledBack;
    });
    await expect(held).rejects.toBe(rolledBack);
    const added = (await Promise.all(outcomes)).map((outcome) => [outcome.added, outcome.alreadyThere]);
    expect(added.toSorted()).toEqual([
      [0, 3],
      [3, 0],
    ]);
    expect(await entriesOf(id)).toHaveLength(3);
  });
});
