import { existsSync, promises, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { holdInstanceLock } from '#db/instance-lock.ts';
import { migrate } from '#db/migrate.ts';
import { Transfer, type TransferTable } from '#db/transfer.ts';
import { installationSecrets } from '#src/installation-secrets.ts';
import { LedgerImport } from '#src/ledger/import-queries.ts';
import { tokenHash } from '#src/tokens.ts';
import { inDatabase, runStatement, withParts } from '#tools/testing/connections.ts';
import { testDatabase, waitingForLock } from '#tools/testing/database.ts';
import { newCustomer, newEntry } from '#tools/testing/factories.ts';
import { temporaryFolder } from '#tools/testing/processes.ts';
import { verifyBackup, writeBackup } from './backup-file.ts';
import { operatorOn } from './testing.ts';

const database = await testDatabase();
const { sql } = database;
const home = await temporaryFolder('backup');
const sourceDir = path.join(home.path, 'source');
const operator = operatorOn(database, { DATABASE_OWNER_URL: database.ownerUrl, DATA_DIR: sourceDir });
const backup = path.join(operator.folder, 'backup.sql.gz');
const emptyNames: string[] = [];

/** A database of the same server without tables. */
async function emptyDatabase() {
  const name = `${new URL(database.url).pathname.slice(1)}_${emptyNames.length}`;
  emptyNames.push(name);
  await sql.unsafe(`create database ${name}`);
  return {
    operatorUrl: inDatabase(database.operatorUrl, name),
    ownerUrl: inDatabase(database.ownerUrl, name),
  };
}

async function digests(ownerUrl: string) {
  const transfer = await Transfer.read(ownerUrl);
  try {
    const tables = [];
    for (const table of transfer.tables) tables.push(await transfer.digest(table));
    return { tables, sequences: await transfer.sequences() };
  } finally {
    await transfer.close();
  }
}

/** Besides the audit, to which a restore adds an entry. */
const withoutAudit = ({ tables, sequences }: Awaited<ReturnType<typeof digests>>) => ({
  tables: tables.filter(({ name }) => name !== 'audit_entries'),
  sequences: sequences.filter(({ name }) => name !== 'audit_entries_id_seq'),
});

beforeAll(async () => {
  await installationSecrets(sourceDir);
  const customer = await newCustomer(database.db);
  await newEntry(database.db, customer, { amountCents: 1250n, reference: 'a\\.b \\ "ünïcode"' });
  const hash = tokenHash('x');
  await sql`insert into cards (customer_id, state, token_hash, last4) values (${customer.id}, 'active', ${hash}, '4242')`;
  await sql`insert into sessions (customer_id, id_hash, secret_id, expires_at)
    values (${customer.id}, ${hash}, ${customer.secretId}, now())`;
  await sql`insert into idempotency_keys (customer_id, key, request_hash, locked_until, expires_at, body)
    values (${customer.id}, 'b', ${hash}, now(), now(), ${'line\n\\.\nline'}), (${customer.id}, 'B', ${hash}, now(), now(), '')`;
  await sql`insert into provider_events (id, type) select 'evt_' || n, 'customer.deleted' from generate_series(1, 20000) n`;
  await sql`insert into payment_mode (mode) values ('sandbox')`;
  await sql`insert into reconciliations (lease_until, counts) values (now(), '{"customers": 1}')`;
  await sql`insert into api_requests (customer_id, at, operation, status, elapsed_ms, request_id)
    values (${customer.id}, now(), 'getCustomer', 200, 1.5, 'request-0001')`;
  await sql`insert into security_events (customer_id, event, address, channel) values (${customer.id}, 'x', '::1', 'api')`;
  await sql`insert into limit_counts (key, points) values ('k', 3)`;
  await sql`select nextval('customers_id_seq')`;
  const { code, stderr } = await operator.run('backup backup.sql.gz');
  expect([code, stderr]).toEqual([0, expect.stringContaining('provider_events: 20000 rows')]);
  expect(stderr.match(/provider_events/g), 'one line for each table').toHaveLength(1);
});

afterAll(async () => {
  for (const name of emptyNames) await sql.unsafe(`drop database if exists ${name} with (force)`);
  await home.remove();
});

test('backup: has rows of every table and is readable by the owner only', async () => {
  const { tables } = await digests(database.ownerUrl);
  expect(tables.filter(({ rows }) => rows === 0)).toEqual([]);
  expect(statSync(backup).mode & 0o777).toBe(0o600);
});

test('backup: does not contain rows that are written after its start', async () => {
  const before = await digests(database.ownerUrl);
  const transfer = await Transfer.read(database.ownerUrl);
  await sql`insert into limit_counts (key) values ('later')`;
  const table = transfer.tables.find(({ name }) => name === 'limit_counts');
  expect(before.tables).toContainEqual(table && (await transfer.digest(table)));
  await transfer.close();
  await sql`delete from limit_counts where key = 'later'`;
});

test('restore: restores every table, sequence, and file into an empty folder', async () => {
  const DATA_DIR = path.join(home.path, 'restored');
  const target = operatorOn({ operatorUrl: '' }, { DATA_DIR });
  const { code, stderr } = await target.run('restore', backup, '--actor', 'anna');
  expect([code, stderr]).toEqual([0, expect.stringContaining('comparing')]);
  expect(stderr).toContain(`There was no database in ${DATA_DIR}, so a new one was created.`);
  const embedded = await openEmbeddedDatabase(DATA_DIR);
  const [restored, source] = [await digests(embedded.ownerUrl), await digests(database.ownerUrl)];
  const audit = await runStatement(
    embedded.ownerUrl,
    "select actor, after from audit_entries where action = 'database.restored'",
  );
  await embedded.release();
  expect(withoutAudit(restored)).toEqual(withoutAudit(source));
  expect(audit).toEqual([{ actor: 'operator:anna', after: { backupAt: expect.any(String) } }]);
  expect(await installationSecrets(DATA_DIR)).toEqual(await installationSecrets(sourceDir));
  const second = await operatorOn({ operatorUrl: '' }, { DATA_DIR }).run('restore', backup);
  expect([second.code, second.stderr]).toEqual([
    1,
    expect.stringContaining(`secrets.json exists. Set DATA_DIR`),
  ]);
});

test('restore: restores into an empty database of a server, and refuses one with rows', async () => {
  const empty = await emptyDatabase();
  const on = (name: string) =>
    operatorOn(empty, { DATABASE_OWNER_URL: empty.ownerUrl, DATA_DIR: path.join(home.path, name) });
  const target = on('server');
  expect((await target.run('restore', backup)).code).toBe(0);
  const restored = await digests(empty.ownerUrl);
  expect(withoutAudit(restored)).toEqual(withoutAudit(await digests(database.ownerUrl)));
  const again = on('other');
  const { code, stderr } = await again.run('restore', backup);
  expect([code, stderr]).toEqual([1, expect.stringContaining('Choose an empty database.')]);
  expect(await digests(empty.ownerUrl)).toEqual(restored);
  expect(existsSync(path.join(home.path, 'other'))).toBe(false);
});

const script = () => gunzipSync(readFileSync(backup)).toString();
const refused = path.join(operator.folder, 'refused.gz');
test.each([
  ['a file that is cut off', () => readFileSync(backup).subarray(0, -100), 'is damaged'],
  [
    'a script that ends early',
    () => gzipSync(script().split('\n').slice(0, -2).join('\n')),
    'It ends early.',
  ],
  ['a changed row', () => gzipSync(script().replace('evt_77\t', 'evt_xx\t')), 'Its checksum is wrong.'],
  ['more after the end', () => gzipSync(`${script()}select 1;\n`), 'There is data after its end.'],
  ['another file', () => Buffer.from('hello'), 'is damaged or not a backup'],
  ['another script', () => gzipSync('select 1;\n'), 'is not a backup'],
  [
    'another release',
    () => gzipSync(script().replace(/"migrations":\[/, '$&"1",')),
    'was made with release 1.0.0',
  ],
  [
    'a later format',
    () => gzipSync(script().replace('"format":1', '"format":2')),
    'was made with release 1.0.0',
  ],
])('restore: refuses %s', async (_, content, sentence) => {
  writeFileSync(refused, content());
  await expect(verifyBackup(refused)).rejects.toThrow(sentence);
});

test('restore: changes nothing if the file is damaged', async () => {
  const DATA_DIR = path.join(home.path, 'untouched');
  writeFileSync(refused, readFileSync(backup).subarray(0, -100));
  const { code, stderr } = await operatorOn({ operatorUrl: '' }, { DATA_DIR }).run('restore', refused);
  expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was restored.')]);
  expect(existsSync(DATA_DIR)).toBe(false);
});

test('database move: refuses a running service, then moves every row, and refuses a target with rows', async () => {
  const target = await emptyDatabase();
  const move = () => operator.run('database move --to', target.ownerUrl);
  const instance = await runningInstance();
  // It does not wait for the lock of a request that writes, because others would wait behind it.
  await sql.begin(async (tx) => {
    await tx`insert into limit_counts (key) values ('counted')`;
    const running = await move();
    expect([running.code, running.stderr]).toEqual([1, expect.stringContaining('the service or')]);
  });
  await instance.close();
  const moved = await move();
  expect([moved.code, moved.stdout]).toEqual([0, expect.stringContaining('every table matches')]);
  const all = await digests(target.ownerUrl);
  expect(all).toEqual(await digests(database.ownerUrl));
  const again = await move();
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('Choose an empty database.')]);
  expect(await digests(target.ownerUrl)).toEqual(all);
});

test('database move: has the entry that another command is adding, and is refused while one waits for it', async () => {
  const customer = await newCustomer(database.db);
  const add = (reference: string) => newEntry(database.db, customer, { amountCents: 1n, reference });
  const target = await emptyDatabase();
  const move = () => operator.run('database move --to', target.ownerUrl);
  let adding: Promise<unknown> | undefined;
  const spy = beforeRows(Transfer.prototype, async () => {
    adding ??= add('during');
    await Promise.race([adding, expect.poll(() => waitingForLock(sql)).toHaveLength(1)]);
  });
  const refused = await move();
  spy.mockRestore();
  await adding;
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('another command')]);
  let moving: ReturnType<typeof move> | undefined;
  await sql.begin(async (tx) => {
    await tx`insert into limit_counts (key) values ('begun')`;
    moving = move();
    await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
  });
  expect((await moving)?.code).toBe(0);
  expect(await digests(target.ownerUrl)).toEqual(await digests(database.ownerUrl));
});

test('database move: is refused while a command waits that began when all rows had been copied', async () => {
  const customer = await newCustomer(database.db);
  const target = await emptyDatabase();
  const { setSequences } = Transfer.prototype;
  let adding: Promise<unknown> | undefined;
  const spy = vi.spyOn(Transfer.prototype, 'setSequences').mockImplementation(async function (
    this: Transfer,
    ...args
  ) {
    adding = newEntry(database.db, customer, { amountCents: 1n, reference: 'late' });
    await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
    return setSequences.apply(this, args);
  });
  const { code, stderr } = await operator.run('database move --to', target.ownerUrl);
  spy.mockRestore();
  await adding;
  expect([code, stderr]).toEqual([1, expect.stringContaining('another command')]);
});

test('database move: is refused while an import reads its file', async () => {
  const target = await emptyDatabase();
  const ledger = await LedgerImport.begin(database.operatorUrl);
  const move = () => operator.run('database move --to', target.ownerUrl);
  expect(await move().finally(() => ledger.end())).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('another command'),
  });
  // The server ends the transaction when it notices that the connection is gone.
  await expect.poll(async () => (await move()).code).toBe(0);
});

test('database move: refuses an address that is not of PostgreSQL', async () => {
  expect((await operator.run('database move --to mysql://x')).code).toBe(2);
  const { code, stdout, stderr } = await operator.run('database move --json --to', 'postgres://o:5%ret@db/x');
  expect([code, stderr]).toEqual([2, expect.stringContaining("option '--to': the URL")]);
  expect(stdout + stderr).not.toContain('5%ret');
});

test('transfer: finds rows that differ from their source', async () => {
  const target = await emptyDatabase();
  await migrate(target.ownerUrl);
  const [source, write] = [await Transfer.read(database.ownerUrl), await Transfer.write(target.ownerUrl)];
  const table = source.tables.find(({ name }) => name === 'provider_events');
  if (!table) throw new Error('There is no such table.');
  const expected = await source.digest(table);
  await write.insertRows(table, source.rows(table));
  await expect(write.compare([{ ...expected, sha256: 'other' }], () => {})).rejects.toThrow('differ');
  await expect(write.insertRows(table, source.rows(table))).rejects.toThrow();
  await Promise.all([source.close(), write.close()]);
});

/** Runs before the rows of each table are read. */
function beforeRows(transfer: Transfer, run: () => Promise<unknown>) {
  const { rows } = transfer;
  return vi.spyOn(transfer, 'rows').mockImplementation(async function* (this: Transfer, table) {
    await run();
    yield* rows.call(this, table);
  });
}

const filesOf = (name: string) => readdirSync(home.path).filter((file) => file.startsWith(name));

async function runningInstance() {
  const instance = holdInstanceLock(database.url);
  await expect.poll(instance.instanceId).not.toBeNull();
  return instance;
}

test('transfer: refuses a process of the service that has ended since, and one that was started since', async () => {
  const ended = await runningInstance();
  const read = await Transfer.read(database.ownerUrl);
  await ended.close();
  const later = await Transfer.read(database.ownerUrl);
  await expect(read.refuseInUse('It runs.')).rejects.toThrow('It runs.');
  await later.refuseInUse('It runs.');
  const started = await runningInstance();
  await expect(later.refuseInUse('It runs.')).rejects.toThrow('It runs.');
  await Promise.all([read.close(), later.close(), started.close()]);
});

test('transfer: fails once its session has ended', async () => {
  const target = await emptyDatabase();
  await migrate(target.ownerUrl);
  const transfer = await Transfer.write(target.ownerUrl);
  await sql.unsafe(`select pg_terminate_backend(pid, 60000) from pg_stat_activity
    where datname = '${new URL(target.ownerUrl).pathname.slice(1)}' and state = 'idle in transaction'`);
  await expect(transfer.sequences()).rejects.toThrow();
  await expect(transfer.commit()).rejects.toThrow();
  await transfer.close();
});

test('transfer: reads on after rows that were read more slowly than they came', async () => {
  const transfer = await Transfer.read(database.ownerUrl);
  const isSent = async () =>
    (
      await database.sql`select from pg_stat_activity where query like 'copy (select repeat%' and state = 'active'`
    ).length === 0;
  // The first piece has 256 KiB. What comes after it can fill the stream just as it ends.
  for (let rows = 330; rows < 400; rows += 2) {
    let bytes = 0;
    const table = { name: `generate_series(1, ${rows}) n`, columns: "repeat('x', 1000)", key: 'n' };
    for await (const piece of transfer.rows(table)) {
      bytes += piece.length;
      await expect.poll(isSent, { interval: 5 }).toBe(true);
    }
    expect(bytes).toBe(rows * 1_001);
    expect(await transfer.isDistributed()).toBe(false);
  }
  await transfer.close();
});

test('backup: has all rows of a table that a migration writes again meanwhile, because the migration waits', async () => {
  const transfer = await Transfer.read(database.ownerUrl);
  const migration = sql.begin(async (tx) => {
    await tx`set local lock_timeout = '100ms'`;
    await tx`alter table provider_events add column copied_at timestamptz default clock_timestamp()`;
  });
  const outcome = await migration.then(
    () => 'committed',
    ({ code }) => code,
  );
  const table = transfer.tables.find(({ name }) => name === 'provider_events');
  const { rows } = await transfer.digest(table as TransferTable);
  await transfer.close();
  expect({ rows, outcome }).toEqual({ rows: 20_000, outcome: '55P03' });
});

test('backup: waits for a migration that has begun, and has all rows', async () => {
  let reading = Promise.resolve({} as Transfer);
  await sql.begin(async (tx) => {
    await tx`alter table provider_events add column copied_at timestamptz default clock_timestamp()`;
    reading = Transfer.read(database.ownerUrl);
    await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
    await tx`update provider_events set copied_at = clock_timestamp()`;
  });
  const transfer = await reading;
  const table = transfer.tables.find(({ name }) => name === 'provider_events');
  const { rows } = await transfer.digest(table as TransferTable);
  const readAt = await transfer.readAt();
  await transfer.close();
  const [late] = await sql<{ isRead: boolean }[]>`
    select bool_and(copied_at <= ${readAt}::timestamptz) as "isRead" from provider_events`;
  expect(late).toEqual({ isRead: true });
  await sql`alter table provider_events drop column copied_at`;
  expect(rows).toBe(20_000);
});

test('backup: on Citus, refuses a process of the service that is started while rows are read', async () => {
  const file = path.join(home.path, 'citus.sql.gz');
  const transfer = await Transfer.read(database.ownerUrl);
  vi.spyOn(transfer, 'isDistributed').mockResolvedValue(true);
  let started: ReturnType<typeof holdInstanceLock> | undefined;
  beforeRows(transfer, async () => {
    started ??= await runningInstance();
  });
  const written = writeBackup(file, { transfer, files: [], release: '0', onTable: () => {} });
  await expect(written).rejects.toThrow('on Citus the file could contain only part');
  expect(filesOf('citus')).toEqual([]);
  await Promise.all([transfer.close(), started?.close()]);
});

test('backup: writes to a file system without hard links', async () => {
  const file = path.join(home.path, 'unlinked.sql.gz');
  const transfer = await Transfer.read(database.ownerUrl);
  const link = vi.spyOn(promises, 'link');
  link.mockRejectedValue(Object.assign(new Error('EPERM'), { code: 'EPERM', syscall: 'link' }));
  syncBuiltinESMExports();
  try {
    const written = await writeBackup(file, { transfer, files: [], release: '0', onTable: () => {} });
    expect((await verifyBackup(file)).tables).toEqual(written);
    expect(link).toHaveBeenCalledOnce();
  } finally {
    link.mockRestore();
    syncBuiltinESMExports();
    await transfer.close();
  }
  expect(filesOf('unlinked')).toEqual(['unlinked.sql.gz']);
});

test('backup: of two at a time to one file, the first to end succeeds, and the other is refused', async () => {
  const file = path.join(home.path, 'twice.sql.gz');
  const [first, second] = [
    await Transfer.read(database.ownerUrl),
    await Transfer.read(database.ownerUrl),
  ] as const;
  const source = { files: [], release: '0', onTable: () => {} };
  const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let later: Promise<unknown> | undefined;
  beforeRows(first, () => {
    later ??= writeBackup(file, { ...source, transfer: second });
    return started.promise;
  });
  beforeRows(second, () => {
    started.resolve();
    return ended.promise;
  });
  const written = await writeBackup(file, { ...source, transfer: first });
  expect((await verifyBackup(file)).tables).toEqual(written);
  ended.resolve();
  await expect(later).rejects.toThrow('already exists');
  expect((await verifyBackup(file)).tables).toEqual(written);
  expect(filesOf('twice')).toEqual(['twice.sql.gz']);
  await Promise.all([first.close(), second.close()]);
});

test('backup: reports a lost connection to the database', async () => {
  const transfer = await Transfer.read(database.ownerUrl);
  const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
  beforeRows(transfer, () => Promise.reject(lost));
  const source = { transfer, files: [], release: '0', onTable: () => {} };
  const written = writeBackup(path.join(home.path, 'lost.sql.gz'), source);
  await expect(written).rejects.toThrow('The connection to the database was lost (read ECONNRESET).');
  expect(filesOf('lost')).toEqual([]);
  await transfer.close();
});

test('backup: fails with a role from which policies hide rows', async () => {
  const role = `reader_${new URL(database.ownerUrl).pathname.slice(1)}`;
  await sql.unsafe(`create role ${role} login password 'secret'; grant pg_read_all_data to ${role}`);
  const DATABASE_OWNER_URL = withParts(database.ownerUrl, { username: role, password: 'secret' });
  const reader = operatorOn(database, { DATABASE_OWNER_URL, DATA_DIR: sourceDir });
  const file = path.join(reader.folder, 'hidden.sql.gz');
  const { code, stderr } = await reader.run('backup', file);
  await sql.unsafe(`drop role ${role}`);
  expect([code, stderr]).toEqual([1, expect.stringContaining('row-level security')]);
  expect(existsSync(file)).toBe(false);
});

test('backup: has the time of the database', async () => {
  const file = path.join(home.path, 'timed.sql.gz');
  const transfer = await Transfer.read(database.ownerUrl);
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  try {
    await writeBackup(file, { transfer, files: [], release: '0', onTable: () => {} });
  } finally {
    vi.useRealTimers();
  }
  const [row] = await sql<{ now: Date }[]>`select now()`;
  await transfer.close();
  const createdAtMs = Date.parse((await verifyBackup(file)).header.createdAt);
  expect(createdAtMs).toBeGreaterThan(0);
  expect(createdAtMs).toBeLessThanOrEqual(Number(row?.now));
});

test('restore: leaves no part of a file behind when the disk is full', async () => {
  const empty = await emptyDatabase();
  const DATA_DIR = path.join(home.path, 'full');
  const target = operatorOn(empty, { DATABASE_OWNER_URL: empty.ownerUrl, DATA_DIR });
  const write = vi.spyOn(promises, 'writeFile');
  write.mockImplementation(async (file) => {
    writeFileSync(String(file), '{');
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  });
  syncBuiltinESMExports();
  try {
    const { code, stderr } = await target.run('restore', backup);
    expect([code, stderr]).toEqual([1, expect.stringContaining('ENOSPC')]);
  } finally {
    write.mockRestore();
    syncBuiltinESMExports();
  }
  expect(readdirSync(DATA_DIR)).toEqual([]);
});

test('backup: refuses an existing file, a database without tables, and a file that cannot be written', async () => {
  const existing = await operator.run('backup backup.sql.gz');
  expect([existing.code, existing.stderr]).toEqual([1, expect.stringContaining('already exists')]);
  const target = await emptyDatabase();
  const empty = operatorOn(target, { DATABASE_OWNER_URL: target.ownerUrl, DATA_DIR: sourceDir });
  const missing = await empty.run('backup new.gz');
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('has no tables')]);
  expect(existsSync(path.join(empty.folder, 'new.gz'))).toBe(false);
  const unwritable = await operator.run('backup missing-folder/new.gz');
  expect([unwritable.code, unwritable.stderr]).toEqual([1, expect.stringContaining("can't be written")]);
});
