import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test, vi } from 'vitest';
import { createKeyReads } from '#src/api/key-reads.ts';
import { tokenHash } from '#src/tokens.ts';
import { testDatabase, waitingForLock } from '#tools/testing/database.ts';
import { listen } from '#tools/testing/listen.ts';
import { feature, operatorOn, person, polygon, ring } from './testing.ts';

const database = await testDatabase();
const operator = operatorOn(database);
const { file } = operator;

type Credentials = { id: number; username: string; api_key: string; api_secret: string };

const reads = createKeyReads(database.web, () => new Date('2026-11-20T00:00:00Z'));
const principal = async (key: string) => {
  const found = await reads.find('payout', key);
  const record = found && (await reads.findRecord(found.customerId));
  return record && { ...found, ...record };
};

beforeAll(async () => {
  const { code } = await operator.run('city import', file('city.geojson', feature(polygon(ring))));
  expect(code).toBe(0);
  expect((await operator.run(...person('acme'))).code).toBe(0);
});

test('security events: list sign-ins, secrets, and refusals of a customer, latest first', async () => {
  const { document } = await operator.json<Credentials>(...person('guarded'));
  await database.sql`insert into security_events (customer_id, event, reason, address, channel, key_prefix, request_id, at)
    values (${document.id}, 'authentication.refused', 'secret_invalid', '10.0.0.1', 'api', 'key_test_1234', 'request-1',
      now() + interval '1 hour'),
      (${document.id}, 'authentication.refused', 'old', '10.0.0.1', 'api', null, null, now() - interval '8 days')`;
  await operator.run('secret revoke guarded --yes --actor anna');
  type Listed = { events: Record<string, unknown>[] };
  const listed = await operator.json<Listed>('security events guarded');
  expect(listed.document.events).toMatchObject([
    {
      event: 'authentication.refused',
      reason: 'secret_invalid',
      address: '10.0.0.1',
      key_prefix: 'key_test_1234',
    },
    { event: 'secret.revoked', actor: 'operator:anna', channel: 'cli', username: 'guarded' },
    { event: 'customer.created', channel: 'cli' },
  ]);
  const older = await operator.json<Listed>('security events guarded --since 30d --limit 9');
  expect(older.document.events).toHaveLength(4);
  expect((await operator.run('security events')).stdout).toMatch(
    /secret_invalid +key_test_1234 +10\.0\.0\.1/,
  );
});

test('lists: say how to see more, and nothing on the last page', async () => {
  for (const username of ['listed-1', 'listed-2', 'listed-3']) await operator.run(...person(username));
  const first = 'customer list --after listed-1 --limit 1';
  expect((await operator.run(first)).stdout).toMatch(/listed-2 .*\n\nTo see more, add: --after listed-2\n$/);
  const page = await operator.json<object>(first);
  expect(page.document).toMatchObject({ customers: [{ username: 'listed-2' }], next: 'listed-2' });
  const last = await operator.json<object>('customer list --after listed-2 --limit 1');
  expect(last.document).toMatchObject({ customers: [{ username: 'listed-3' }], next: null });
  await operator.run('customer suspend listed-1');
  type Changes = { changes: { id: number }[]; next: number | null };
  const { document: changes } = await operator.json<Changes>('audit listed-1 --limit 1');
  expect(changes.next).toBe(changes.changes[0]?.id);
  const rest = await operator.json<Changes>('audit listed-1 --after', `${changes.next}`);
  expect(rest.document).toMatchObject({ changes: [{ action: 'customer.created' }], next: null });
  expect((await operator.run('audit listed-1 --limit 1')).stdout).toContain(
    `\nTo see more, add: --after ${changes.next}\n`,
  );
  await operator.run('secret revoke listed-1 --yes');
  const events = 'security events listed-1 --limit';
  expect((await operator.run(`${events} 1`)).stdout).toContain('To see more, raise --limit.');
  expect((await operator.json<object>(`${events} 1`)).document).toMatchObject({ has_more: true });
  expect((await operator.run(`${events} 2`)).stdout).not.toContain('To see more');
});

test('customer create, charge add: produce a payout that the API returns', async () => {
  const created = await operator.json<Credentials>(...person('fresh', '--out', 'fresh.env'));
  expect(created).toMatchObject({ code: 0, document: { username: 'fresh', id: expect.any(Number) } });
  const { api_key, api_secret } = created.document;
  const added = await operator.json('charge add fresh --miles 12.4 --at', '2026-11-28 09:00');
  expect(added.document).toMatchObject({
    entry: { amount_cents: 1850, takes_effect_at: '2026-11-28T09:00:00-08:00' },
  });
  await operator.run('charge add fresh --kind payment --amount 3.25 --at 2026-11-01T00:00:00-07:00');
  await operator.run('charge add fresh --amount 99 --at 2026-12-01T00:00:00-08:00');
  const read = await principal(api_key);
  expect(read?.balance?.balanceCents).toBe('1525');
  expect(read?.liveSecrets.map(({ hash }) => hash)).toEqual([tokenHash(api_secret).toString('hex')]);
  expect(JSON.parse(read?.city?.polygonPoints ?? '')).toEqual(
    [...ring, ...ring.slice(0, 1)].map(([lng, lat]) => [lat, lng]),
  );
  const savedFile = path.join(operator.folder, 'fresh.env');
  expect(readFileSync(savedFile, 'utf8')).toContain(`API_KEY=${api_key}\nAPI_SECRET=${api_secret}\n`);
  expect(statSync(savedFile).mode & 0o777).toBe(0o600);
});

test('customer create: does not overwrite a credentials file and then creates no customer', async () => {
  file('there.env', 'mine');
  const { code, stderr } = await operator.run(...person('unlucky', '--out', 'there.env'));
  expect([code, stderr]).toEqual([1, expect.stringContaining('already exists')]);
  expect(readFileSync(path.join(operator.folder, 'there.env'), 'utf8')).toBe('mine');
  expect((await operator.run('customer show unlucky')).code).toBe(1);
});

test('customer create, secret rotate: issue no secret when the disk is full', async () => {
  // No file may become larger than nothing, as on a full disk.
  const through = ['sh', '-c', 'ulimit -f 0; exec "$0" "$@"'];
  const runFull = async (...args: string[]) => {
    const { stderr } = operator.start([...args, '--out', 'full.env'], { through });
    return stderr && text(stderr);
  };
  await operator.run(...person('stored'));
  const before = (await operator.run('audit --json')).stdout;
  for (const args of [person('full'), ['secret rotate stored']])
    expect(await runFull(...args)).toMatch(/full\.env can't be written \(EFBIG\)/);
  expect((await operator.run('audit --json')).stdout).toBe(before);
  expect(existsSync(path.join(operator.folder, 'full.env'))).toBe(false);
});

test('customer create, secret rotate: show the secret when the file fails after it was issued', async () => {
  const handle = await open(path.join(operator.folder, 'handle'), 'w');
  const { close } = handle;
  await handle.close();
  const fault = async () => {
    throw new Error('EIO: i/o error');
  };
  const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync').mockImplementationOnce(fault);
  sync.mockImplementationOnce(async function (this: typeof handle) {
    this.close = () => close.call(this).then(fault);
  });
  for (const args of [person('unsaved'), ['secret rotate unsaved']]) {
    const { code, stdout, stderr } = await operator.run(...args, '--out', 'unsaved.env');
    expect([code, stderr]).toEqual([1, expect.stringContaining("unsaved.env can't be written (EIO")]);
    expect(stdout).not.toContain('unsaved.env');
    const [api_key = '', api_secret = ''] = [/key_\S+/, /secret_\S+/].map((of) => of.exec(stdout)?.[0]);
    const hashes = (await principal(api_key))?.liveSecrets.map(({ hash }) => hash);
    expect(hashes).toContain(tokenHash(api_secret).toString('hex'));
    expect(existsSync(path.join(operator.folder, 'unsaved.env'))).toBe(false);
  }
  sync.mockRestore();
});

test('secret rotate: shows a secret once and keeps the old one for the overlap period', async () => {
  const { document: first } = await operator.json<Credentials>(...person('turner'));
  const { document: second } = await operator.json<Credentials & { old_secret_expires_at: string }>(
    'secret rotate turner --overlap 2h',
  );
  expect(second.api_key).toBe(first.api_key);
  expect(Date.parse(second.old_secret_expires_at) - Date.now()).toBeLessThanOrEqual(2 * 3_600_000);
  const hashes = async () => (await principal(first.api_key))?.liveSecrets.map(({ hash }) => hash);
  const hash = ({ api_secret }: Credentials) => tokenHash(api_secret).toString('hex');
  expect((await hashes())?.sort()).toEqual([hash(first), hash(second)].sort());
  const { document: third } = await operator.json<Credentials>('secret rotate turner --overlap 24h');
  expect((await hashes())?.sort()).toEqual([hash(second), hash(third)].sort());
  const shown = await operator.run('customer show turner --json');
  const audit = await operator.run('audit turner --json');
  for (const { api_secret } of [first, second, third]) {
    for (const text of [shown.stdout, audit.stdout]) {
      expect(text).not.toContain(api_secret);
      expect(text).not.toContain(tokenHash(api_secret).toString('hex'));
    }
  }
  expect((await operator.run('secret rotate turner --overlap 0')).code).toBe(0);
  expect(await hashes()).toHaveLength(1);
  expect(await operator.json('secret revoke turner')).toMatchObject({
    code: 0,
    document: { revoked: 1 },
  });
  expect(await hashes()).toEqual([]);
  expect((await operator.run('secret revoke turner')).code).toBe(1);
});

test.each([['1.234'], ['1e309'], ['']])(
  'charge add refuses the amount %j as typed wrongly',
  async (amount) => {
    const { code, stderr } = await operator.run('charge add acme --amount', amount);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/amount/i)]);
  },
);

test('output: escapes untrusted text in the terminal, JSON, and CSV', async () => {
  const trap = '=1+1\u001b[31m\u202e';
  await operator.run('customer update acme --name', trap);
  await operator.run('charge add acme --amount 1 --description', trap, '--reference', '=trap');
  const outputs = await Promise.all(
    [
      'customer show acme',
      'customer list --json',
      'charge list acme',
      'charge list acme --json',
      'charge list acme --csv',
      'audit acme',
    ].map((command) => operator.run(command)),
  );
  for (const { stdout } of outputs) expect(stdout).not.toMatch(/[^\P{Cc}\r\n]|\p{Cf}/u);
  expect(outputs[4]?.stdout).toContain("'=1+1\\u{1b}[31m\\u{202e},'=trap,");
  const { document } = await operator.json<{ entries: { description: string }[] }>('charge list acme');
  expect(document.entries.map(({ description }) => description)).toContain(trap);
});

test('entry reverse: reverses once and records the actor in the audit', async () => {
  await operator.run('charge add acme --amount 7 --reference wrong');
  expect((await operator.run('charge reverse acme wrong --actor anna')).code).toBe(0);
  expect((await operator.run('charge reverse acme wrong')).code).toBe(1);
  const { document } = await operator.json<{ changes: { actor: string; action: string }[] }>(
    'audit acme --limit 1',
  );
  expect(document.changes).toMatchObject([
    { actor: 'operator:anna', action: 'entry.reversed', subject: 'wrong' },
  ]);
});

/** Runs a command whose connection breaks after PostgreSQL has committed a statement and before the command knows. */
async function runWithLostReply(statement: string, args: string[]) {
  // PostgreSQL commits before it is ready for the next query.
  const proxy = createServer((client) => {
    const { hostname, port } = new URL(database.operatorUrl);
    const upstream = connect(Number(port), hostname);
    client.pipe(upstream);
    let isSent = false;
    client.on('data', (sent) => {
      isSent ||= sent.includes(statement);
    });
    upstream.on('data', (reply) => {
      if (isSent && reply.includes('SELECT 1\0Z')) client.destroy();
      else client.write(reply);
    });
    for (const socket of [client, upstream]) socket.on('error', () => {});
  });
  const url = new URL(database.operatorUrl);
  url.host = `127.0.0.1:${await listen(proxy)}`;
  const lost = await operatorOn({ operatorUrl: url.href }).run(...args);
  proxy.close();
  return lost;
}

test('customer create: says how to issue a secret to a customer whose first one was lost', async () => {
  const create = person('unheard');
  const lost = await runWithLostReply('insert into customers', create);
  expect([lost.code, lost.stdout]).toEqual([1, '']);
  const { stderr } = await operator.run(...create);
  const [, rotate = ''] = /operator (secret rotate unheard)$/m.exec(stderr) ?? [];
  expect((await operator.run(rotate)).code).toBe(0);
});

test('charge add: says how to repeat it without adding it twice when the response is lost', async () => {
  const add = 'charge add acme --amount 12.50';
  const lost = await runWithLostReply('insert into ledger_entries', [add]);
  const [, reference = ''] = /--reference (ref-\w+)/.exec(lost.stderr) ?? [];
  expect([lost.code, lost.stdout]).toEqual([1, '']);
  const { document } = await operator.json<{ entries: object[] }>('charge list acme --text', reference);
  expect(document.entries).toMatchObject([{ reference, amount: '12.50' }]);
  expect((await operator.json(`${add} --reference ${reference}`)).document).toMatchObject({
    error: { code: 'already_exists' },
  });
});

test.each([
  ['charge add', 'charge add acme --amount 12.50', /--reference ref-\w+/],
  ['charge reverse', 'charge reverse acme WAITS', /^$/],
  ['customer update', 'customer update acme --city faraway', /^$/],
  ['city import', 'city import moved.geojson', /^$/],
  ['charge import', 'charge import waits.csv', /^$/],
])('%s: does not change anything after Ctrl-C while it waits', async (_, command, message) => {
  await operator.run('charge add acme --amount 1 --reference WAITS');
  const [waits] =
    await database.sql`select takes_effect_at as at from ledger_entries where reference = 'WAITS'`;
  file('waits.csv', `username,amount,at\nacme,1,${waits?.at.toISOString()}\n`);
  file('moved.geojson', feature(polygon(ring), { timezone: 'Pacific/Honolulu' }));
  await operator.run('city import', file('faraway.geojson', feature(polygon(ring), { name: 'Faraway' })));
  const stored = () => database.sql`select (select count(*) from ledger_entries) as entries,
    (select city_id from customers where username = 'acme') as city,
    (select timezone from cities where slug = 'san-jose') as zone`;
  const before = await stored();
  const printed = await database.sql.begin(async (tx) => {
    // As an import does until it is committed.
    await tx`select from ledger_months for update`;
    const child = operator.start([command]);
    const stderr = text(child.stderr as Readable);
    await expect.poll(() => waitingForLock(database.sql)).toHaveLength(1);
    child.kill('SIGINT');
    await once(child, 'close');
    await expect.poll(() => waitingForLock(database.sql)).toEqual([]);
    return stderr;
  });
  expect(printed).toMatch(message);
  expect(await stored()).toEqual(before);
});

test.each([
  ['payment', '250', '-$250.00'],
  ['credit', '5', '-$5.00'],
  ['adjustment', '-1.20', '-$1.20'],
  ['delivery', '0', '$0.00'],
])('charge add: says a %s of %s as it is listed, %s', async (kind, amount, listed) => {
  const reference = `said-${kind}`;
  const add = `charge add acme --kind ${kind} --amount ${amount} --reference ${reference}`;
  expect((await operator.run(add)).stdout).toContain(`Added ${kind} of ${listed} on`);
  const { stdout } = await operator.run('charge list acme --text', reference);
  expect(stdout).toContain(` ${listed}  ${reference}`);
});

test.each([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
  ['Escape', '\x1b'],
])('confirmation: %s on a terminal changes nothing', async (_, key) => {
  // The output is piped.
  const terminal = 'process.stdin.isTTY = process.stderr.isTTY = true; process.stdin.setRawMode = () => {};';
  const node = ['--import', `data:text/javascript,${terminal}`];
  const child = operator.start(['customer erase acme'], { node });
  const stderr = text(child.stderr ?? Readable.from([]));
  child.stderr?.once('data', () => child.stdin?.end(key));
  await once(child, 'close');
  expect([child.exitCode, await stderr]).toEqual([1, expect.stringContaining('Nothing was changed.')]);
  expect((await operator.run('customer show acme')).code).toBe(0);
});

test('confirmation: is refused when the terminal cannot show the question', async () => {
  const node = ['--import', 'data:text/javascript,process.stdin.isTTY = true'];
  const child = operator.start(['customer erase acme'], { node });
  const stderr = text(child.stderr ?? Readable.from([]));
  await once(child, 'close');
  const message = 'Nothing was changed. To confirm without a question, add --yes.\n';
  expect([child.exitCode, await stderr]).toEqual([1, message]);
  expect((await operator.run('customer show acme')).code).toBe(0);
});

test('customer status: can be changed and restored', async () => {
  for (const [verb, status] of [
    ['suspend', 'Suspended'],
    ['deactivate', 'Inactive'],
    ['activate', 'Active'],
  ] as const) {
    expect((await operator.json('customer', verb, 'acme')).document).toEqual({
      username: 'acme',
      status,
      changed: true,
    });
  }
});

test('ledger verify, ledger rebuild: check and rebuild monthly totals', async () => {
  expect(await operator.json('ledger verify')).toMatchObject({
    code: 0,
    document: { ok: true, differences: [] },
  });
  await database.sql`UPDATE ledger_months SET amount_cents = amount_cents + 1`;
  expect(await operator.json('ledger verify')).toMatchObject({ code: 1, document: { ok: false } });
  expect((await operator.run('ledger rebuild')).code).toBe(0);
  const verified = await operator.run('ledger verify');
  expect([verified.code, verified.stderr]).toEqual([0, expect.stringMatching(/^\d+ customers? checked$/m)]);
});
