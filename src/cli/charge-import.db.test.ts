import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  createWriteStream,
  existsSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { listEntries } from '#src/ledger/list-entries.ts';
import { reverseEntry } from '#src/ledger/reverse-entry.ts';
import { testDatabase, waitingForLock } from '#tools/testing/database.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { operatorOn } from './testing.ts';

const database = await testDatabase();
const { db, sql } = database;
const operator = operatorOn(database);
const head = 'username,kind,amount,miles,at,description,reference';
let [acme, other] = ['', ''];

beforeAll(async () => {
  [acme, other] = [(await newCustomer(db)).username, (await newCustomer(db)).username];
});

const file = (name: string, lines: (string | Buffer)[]) => {
  writeFileSync(
    path.join(operator.folder, name),
    Buffer.concat(lines.map((line) => Buffer.concat([Buffer.from(line), Buffer.from('\n')]))),
  );
  return name;
};
type Outcome = {
  added: number;
  skipped: object[];
  error?: { problems: { line: number; column: string; message: string }[] };
};
const importing = (name: string) => operator.json<Outcome>('charge import', name);
const count = async () => (await sql<{ n: number }[]>`SELECT count(*)::int AS n FROM ledger_entries`)[0]?.n;

test('charge import: adds a file atomically and once, and ledger verify succeeds', async () => {
  const name = file('good.csv', [
    `\ufeff${head}`,
    `${acme},delivery,12.50,,2026-11-20T14:30:00-08:00,"To the fair, ""fast""",INV-1`,
    `${acme},,,9.4,2026-11-21T00:00:00Z,,`,
    '',
    `${other},payment,250,,2026-11-01T08:00:00-07:00,"two`,
    `lines \\ \ttab",PAY-1`,
    `${other},adjustment,-0.01,,2026-11-01T08:00:00-07:00,,`,
    `${other},adjustment,-0.01,,2026-11-01T08:00:00-07:00,,`,
  ]);
  const before = await count();
  const rest = { rows: 5, reversed: 0, skipped_left_out: 0 };
  expect(await importing(name)).toEqual({
    code: 0,
    document: { ...rest, added: 5, already_there: 0, customers: 2, skipped: [] },
  });
  const skipped = [2, 3, 5, 7, 8].map((line) => expect.objectContaining({ line, status: 'already_there' }));
  expect(await importing(name)).toEqual({
    code: 0,
    document: { ...rest, added: 0, already_there: 5, customers: 0, skipped },
  });
  expect(await count()).toBe((before ?? 0) + 5);
  const rows =
    await sql`SELECT kind, amount_cents::int AS cents, description FROM ledger_entries ORDER BY id`;
  expect(rows.map((row) => [row.kind, row.cents, row.description])).toEqual([
    ['delivery', 1250, 'To the fair, "fast"'],
    ['delivery', 1349, 'Delivery, 9.4 miles'],
    ['payment', -25_000, 'two\nlines \\ \ttab'],
    ['adjustment', -1, 'Adjustment'],
    ['adjustment', -1, 'Adjustment'],
  ]);
  expect((await operator.run('ledger verify')).code).toBe(0);
  expect((await operator.run('audit', acme)).stdout).toContain('entries.imported');
});

test('charge import: reports every invalid row with line and column and adds nothing', async () => {
  const name = file('bad.csv', [
    head,
    `${acme},delivery,1.00,,2026-11-20T14:30:00Z,,ok`,
    `${acme},delivery,1.001,,2026-11-20T14:30:00Z,,`,
    `nobody,delivery,1.00,,2026-11-20T14:30:00Z,,`,
    `${acme},gift,NaN,,2026-11-20T14:30:00,"a`,
    `b",`,
    `${acme},delivery,-1,,2026-11-31T14:30:00Z,,`,
    `${acme},delivery,"1,000.00",,2026-11-20T14:30:00Z,,`,
    `${acme},delivery,1,,2026-11-20T14:30:00Z,,ok`,
    `${acme},delivery,,99,2026-11-20T14:30:00Z,,`,
    `${acme},credit,,9,2026-11-20T14:30:00Z,,`,
    `${acme},delivery,1`,
    Buffer.from([...Buffer.from(`${acme},delivery,1,,2026-11-20T14:30:00Z,`), 0xff, ...Buffer.from(',')]),
    `${acme},delivery,1e309,,2026-11-20T14:30:00Z,,`,
    `${acme},delivery,1,,2026-11-20T14:30:00Z,,INV\u202e`,
  ]);
  const before = await count();
  const { code, document } = await importing(name);
  expect(code).toBe(1);
  expect(document.error?.problems.map(({ line, column }) => `${line} ${column}`).join(', ')).toBe(
    '3 amount, 4 username, 5 kind, 5 at, 7 amount, 7 at, 8 amount, 9 reference, 10 miles, 11 miles, 12 amount, 13 description, 14 amount, 15 reference',
  );
  expect(await count()).toBe(before);
});

test.each([
  ['an empty file', [], /line 1: The file is empty/],
  ['an unknown column', ['username,amount,at,note'], /Unknown column "note"/],
  ['a missing column', ['username,amount'], /column at is missing/],
  [
    'a quotation mark left open',
    [head, `x,delivery,1,,2026-11-20T14:30:00Z,"open,`],
    /Not valid CSV from this line on/,
  ],
])('%s is refused', async (_, lines, message) => {
  const { code, stderr } = await operator.run('charge import', file('odd.csv', lines));
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
});

test('charge import: rejects a reference used by a different entry', async () => {
  const row = (amount: string) => [head, `${acme},delivery,${amount},,2026-11-20T14:30:00Z,,same`];
  expect((await importing(file('one.csv', row('1')))).document).toMatchObject({ added: 1 });
  const { code, document } = await importing(file('two.csv', row('2')));
  expect([code, document.error?.problems]).toEqual([
    1,
    [{ line: 2, column: 'reference', message: expect.any(String) }],
  ]);
});

test('charge import: rows by miles keep their price when the file is imported again after a price change', async () => {
  const { username, id, city } = await newCustomer(db);
  const lines = [
    head,
    `${username},,,9.4,2026-11-21T00:00:00Z,,`,
    `${username},,,2,2026-11-22T00:00:00Z,To the fair,MILES-1`,
  ];
  expect((await importing(file('miles.csv', lines))).document).toMatchObject({ added: 2 });
  await sql`UPDATE cities SET base_price_cents = 1000, delivery_prices = '{"items":[{"mile":6,"amount":1}]}'
    WHERE slug = ${city.slug}`;
  const grown = [...lines, `${username},,,2,2026-11-23T00:00:00Z,,`];
  expect(await importing(file('miles.csv', grown))).toMatchObject({
    code: 0,
    document: { rows: 3, added: 1, already_there: 2 },
  });
  const amounts =
    await sql`SELECT amount_cents::int AS cents FROM ledger_entries WHERE customer_id = ${id} ORDER BY id`;
  expect(amounts.map(({ cents }) => cents)).toEqual([1349, 899, 1100]);
  const moved = [head, `${username},,,2,2026-11-29T00:00:00Z,To the fair,MILES-1`];
  const refused = await importing(file('moved.csv', moved));
  expect(refused.document.error?.problems).toMatchObject([{ line: 2, column: 'reference' }]);
  const tooFar = [head, `${username},,,9.4,2026-11-29T00:00:00Z,,`];
  const unpriced = await importing(file('far.csv', tooFar));
  expect(unpriced.document.error?.problems).toMatchObject([{ line: 2, column: 'miles' }]);
});

test('charge import: reports a row of a later file that equals an entry, and adds it with a reference', async () => {
  const { username } = await newCustomer(db);
  const row = (reference: string) =>
    `${username},delivery,12.50,,2026-11-20T14:30:00Z,To the fair,${reference}`;
  await importing(file('monday.csv', [head, row('')]));
  const later = [head, `${username},credit,1,,2026-11-21T00:00:00Z,,`, row('')];
  const { code, document } = await importing(file('tuesday.csv', later));
  expect({ code, document }).toMatchObject({ code: 0, document: { added: 1, already_there: 1 } });
  expect(document.skipped).toEqual([
    {
      line: 3,
      status: 'already_there',
      reference: expect.stringMatching(/^import-/),
      amount: '12.50',
      amount_cents: 1250,
      added_at: expect.stringMatching(/^20\d\d-\d\d-\d\dT/),
    },
  ]);
  const { stdout } = await operator.run('charge import tuesday.csv');
  expect(stdout).toContain('2 rows were skipped because their entries already exist');
  expect(stdout).toMatch(/ 3 +already exists +20\d\d-\d\d-\d\d \d\d:\d\d +\$12\.50 +import-/);
  expect(stdout).toContain('give it a new reference');
  const named = file('named.csv', [head, row('WED-1')]);
  expect((await importing(named)).document).toMatchObject({ added: 1, already_there: 0 });
  expect((await importing(named)).document).toMatchObject({ added: 0, already_there: 1 });
});

test('charge import: reports rows whose entries were reversed, and adds them with a new reference', async () => {
  const { username, id } = await newCustomer(db);
  const row = (reference: string) => `${username},delivery,3,,2026-11-20T14:30:00Z,,${reference}`;
  const name = file('reversed.csv', [head, row('INV-9'), row('')]);
  const first = await importing(name);
  expect(first.document).toMatchObject({ added: 2 });
  const { entries } = await listEntries(db, id, { limit: 2 });
  const derived = entries.map(({ reference }) => reference).find((reference) => reference !== 'INV-9') ?? '';
  for (const reference of ['INV-9', derived]) {
    await reverseEntry({ db, actor: 'operator:tester' }, { username, reference });
  }
  expect(await importing(name)).toMatchObject({
    code: 0,
    document: {
      added: 0,
      already_there: 0,
      reversed: 2,
      skipped: [
        { line: 2, status: 'reversed', reference: 'INV-9' },
        { line: 3, status: 'reversed', reference: derived },
      ],
    },
  });
  const again = file('again.csv', [head, row('INV-9b')]);
  expect((await importing(again)).document).toMatchObject({ added: 1 });
  expect((await importing(again)).document).toMatchObject({ added: 0, already_there: 1 });
  const adding = await operator.run('charge add', username, '--amount', '3', '--reference', 'INV-9');
  expect([adding.code, adding.stderr]).toEqual([1, expect.stringContaining('use a new reference')]);
  const [balance] =
    await sql`SELECT sum(amount_cents)::int AS cents FROM ledger_months WHERE customer_id = ${id}`;
  expect(balance).toEqual({ cents: 300 });
});

test('charge import: two concurrent imports of a file add it once', async () => {
  const lines = Array.from(
    { length: 3_000 },
    (_, index) => `${acme},delivery,1,,2026-11-20T14:30:00Z,,twin-${index}`,
  );
  const name = file('twin.csv', [head, ...lines]);
  const inProcess = () => operator.runProcess('charge import', name, '--json');
  const outcomes = await Promise.all([inProcess(), inProcess()]);
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
  const added = outcomes.map(({ stdout }) => (JSON.parse(stdout) as Outcome).added);
  expect(added.reduce((sum, one) => sum + one, 0)).toBe(3_000);
  expect((await operator.run('ledger verify')).code).toBe(0);
});

test.each([
  ['Ctrl-C', (child: ChildProcess) => child.stdin?.write('\x03')],
  ['SIGINT', (child: ChildProcess) => child.kill('SIGINT')],
  ['SIGTERM', (child: ChildProcess) => child.kill('SIGTERM')],
])('charge import: %s on a terminal ends it with 130, and adds nothing', async (_, interrupt) => {
  const name = file('interrupted.csv', [head, `${acme},delivery,1,,2026-11-20T14:30:00Z,,interrupted`]);
  const before = await count();
  const node = ['--import', 'data:text/javascript,process.stderr.isTTY = true'];
  const child = await sql.begin(async (tx) => {
    await tx`lock table ledger_entries in share mode`;
    const started = operator.start(['charge import', name], { node });
    await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
    const closed = once(started, 'close');
    interrupt(started);
    await closed;
    return started;
  });
  expect(child.exitCode).toBe(130);
  expect(await count()).toBe(before);
});

test('charge import: says so when the file cannot be read, or is a pipe', async () => {
  // No user may read this one.
  const kernels = '/proc/sys/net/ipv4/route/flush';
  const unreadable = existsSync(kernels)
    ? kernels
    : path.join(operator.folder, file('unreadable.csv', [head]));
  if (unreadable !== kernels) chmodSync(unreadable, 0);
  const refused = await operator.runProcess('charge import', unreadable);
  expect(refused).toEqual({ code: 1, stdout: '', stderr: `${unreadable} can't be read (EACCES).\n` });
  const piped = await operator.runProcess('charge import /dev/stdin');
  expect([piped.code, piped.stderr]).toEqual([1, expect.stringContaining('/dev/stdin is not a file.')]);
});

test.each([
  ['is read', 'payment_mode'],
  ['is imported', 'cities'],
])(
  'charge import: refuses a file that grows while it %s, because its last row can be cut off',
  async (_, table) => {
    const name = file('growing.csv', [head, `${acme},delivery,1,,2026-11-20T14:30:00Z,,grown-1`]);
    let importing: ReturnType<typeof operator.run> | undefined;
    await sql.begin(async (tx) => {
      await tx`lock table ${tx(table)}`;
      importing = operator.run('charge import', name);
      await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
      appendFileSync(path.join(operator.folder, name), `${acme},delivery,12,,2026-11-20T14:30:00Z,,gro`);
    });
    expect(await importing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the file has changed'),
    });
    expect(await sql`select from ledger_entries where reference like 'gro%'`).toHaveLength(0);
  },
);

const rows = process.env.FULL ? 1_000_000 : 20_000;
test(`charge import: ${rows} rows within 200 MB of memory`, { timeout: 600_000 }, async () => {
  const name = path.join(operator.folder, 'large.csv');
  const out = createWriteStream(name);
  out.write('username,kind,amount,at,description,reference\n');
  for (let index = 0; index < rows; index++) {
    const at = new Date(Date.UTC(2022, 0, 1) + index * 120_000).toISOString();
    const line = `${index % 3 ? acme : other},delivery,${(index % 9_000) / 100 + 1},${at},"Delivery, number ${index}",L-${index}\n`;
    if (!out.write(line.replace(/(\.\d\d)\d+,/, '$1,'))) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  const main = path.join(import.meta.dirname, 'main.ts');
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: process.env.NODE_ENV,
    DATABASE_OPERATOR_URL: database.operatorUrl,
  };
  const child = spawn(process.execPath, [main, 'charge', 'import', name, '--json'], { env });
  let [stdout, peakKb] = ['', 0];
  child.stdout.on('data', (piece) => {
    stdout += piece;
  });
  const watch = setInterval(() => {
    peakKb = Math.max(peakKb, peakMemoryKb(child.pid));
  }, 100);
  await once(child, 'close');
  clearInterval(watch);
  process.stdout.write(`import of ${rows} rows: ${Math.round(peakKb / 1024)} MB\n`);
  expect(JSON.parse(stdout)).toMatchObject({ rows, added: rows });
  if (existsSync('/proc/self/status')) {
    expect(peakKb).toBeGreaterThan(0);
    expect(peakKb / 1024).toBeLessThan(200);
  }
});

/** @returns the peak memory of a process; 0 without /proc, or if the process has exited */
function peakMemoryKb(pid: number | undefined): number {
  const status = `/proc/${pid}/status`;
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
