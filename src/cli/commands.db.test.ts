import type { StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { createKeyReads } from '#src/api/key-reads.ts';
import { tokenHash } from '#src/tokens.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { program } from './program.ts';
import { feature, operatorOn, polygon, ring } from './testing.ts';

const database = await testDatabase();
const operator = operatorOn(database);
const { file } = operator;

const person = (username: string, ...more: string[]) => [
  'customer',
  'create',
  '--username',
  username,
  '--email',
  `${username}@example.com`,
  '--first-name',
  'Ada',
  '--last-name',
  'Lee',
  '--name',
  'Acme Bakery',
  '--country-code',
  '1',
  '--phone',
  '555-0142',
  '--city',
  'san-jose',
  ...more,
];
type Credentials = { id: number; username: string; api_key: string; api_secret: string };

const reads = createKeyReads(database.web, () => new Date('2026-11-20T00:00:00Z'));
const principal = async (key: string) => {
  const found = await reads.find('payout', key);
  const record = found && (await reads.findRecord(found.customerId));
  return record && { ...found, ...record };
};

beforeAll(async () => {
  const { code } = await operator.run('city', 'import', file('city.geojson', feature(polygon(ring))));
  expect(code).toBe(0);
  expect((await operator.run(...person('acme'))).code).toBe(0);
});

test('security events: list sign-ins, secrets, and refusals of a customer, latest first', async () => {
  const { document } = await operator.json<Credentials>(...person('guarded'));
  await database.sql`insert into security_events (customer_id, event, reason, address, channel, key_prefix, request_id, at)
    values (${document.id}, 'authentication.refused', 'secret_invalid', '10.0.0.1', 'api', 'key_test_1234', 'request-1',
      now() + interval '1 hour'),
      (${document.id}, 'authentication.refused', 'old', '10.0.0.1', 'api', null, null, now() - interval '8 days')`;
  await operator.run('secret', 'revoke', 'guarded', '--yes', '--actor', 'anna');
  type Listed = { events: Record<string, unknown>[] };
  const listed = await operator.json<Listed>('security', 'events', 'guarded');
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
  const older = await operator.json<Listed>(
    'security',
    'events',
    'guarded',
    '--since',
    '30d',
    '--limit',
    '9',
  );
  expect(older.document.events).toHaveLength(4);
  expect((await operator.run('security', 'events')).stdout).toMatch(
    /secret_invalid +key_test_1234 +10\.0\.0\.1/,
  );
});

test('lists: say how to see more, and nothing on the last page', async () => {
  for (const username of ['listed-1', 'listed-2', 'listed-3']) await operator.run(...person(username));
  const from = ['--after', 'listed-1', '--limit'];
  expect((await operator.run('customer', 'list', ...from, '1')).stdout).toMatch(
    /listed-2 .*\n\nTo see more, add: --after listed-2\n$/,
  );
  const page = await operator.json<object>('customer', 'list', ...from, '1');
  expect(page.document).toMatchObject({ customers: [{ username: 'listed-2' }], next: 'listed-2' });
  const last = ['--after', 'listed-2', '--limit', '1'];
  expect((await operator.json<object>('customer', 'list', ...last)).document).toMatchObject({
    customers: [{ username: 'listed-3' }],
    next: null,
  });
  await operator.run('customer', 'suspend', 'listed-1');
  type Changes = { changes: { id: number }[]; next: number | null };
  const { document: changes } = await operator.json<Changes>('audit', 'listed-1', '--limit', '1');
  expect(changes.next).toBe(changes.changes[0]?.id);
  const rest = await operator.json<Changes>('audit', 'listed-1', '--after', `${changes.next}`);
  expect(rest.document).toMatchObject({ changes: [{ action: 'customer.created' }], next: null });
  expect((await operator.run('audit', 'listed-1', '--limit', '1')).stdout).toContain(
    `\nTo see more, add: --after ${changes.next}\n`,
  );
  await operator.run('secret', 'revoke', 'listed-1', '--yes');
  const events = ['security', 'events', 'listed-1', '--limit'];
  expect((await operator.run(...events, '1')).stdout).toContain('To see more, raise --limit.');
  expect((await operator.json<object>(...events, '1')).document).toMatchObject({ has_more: true });
  expect((await operator.run(...events, '2')).stdout).not.toContain('To see more');
});

test('customer create, charge add: produce a payout that the API returns', async () => {
  const created = await operator.json<Credentials>(...person('fresh', '--out', 'fresh.env'));
  expect(created).toMatchObject({ code: 0, document: { username: 'fresh', id: expect.any(Number) } });
  const { api_key, api_secret } = created.document;
  const added = await operator.json('charge', 'add', 'fresh', '--miles', '12.4', '--at', '2026-11-28 09:00');
  expect(added.document).toMatchObject({
    entry: { amount_cents: 1850, takes_effect_at: '2026-11-28T09:00:00-08:00' },
  });
  await operator.run(
    'charge',
    'add',
    'fresh',
    '--kind',
    'payment',
    '--amount',
    '3.25',
    '--at',
    '2026-11-01T00:00:00-07:00',
  );
  await operator.run('charge', 'add', 'fresh', '--amount', '99', '--at', '2026-12-01T00:00:00-08:00');
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
  expect((await operator.run('customer', 'show', 'unlucky')).code).toBe(1);
});

test('secret rotate: shows a secret once and keeps the old one for the overlap period', async () => {
  const { document: first } = await operator.json<Credentials>(...person('turner'));
  const { document: second } = await operator.json<Credentials & { old_secret_expires_at: string }>(
    'secret',
    'rotate',
    'turner',
    '--overlap',
    '2h',
  );
  expect(second.api_key).toBe(first.api_key);
  expect(Date.parse(second.old_secret_expires_at) - Date.now()).toBeLessThanOrEqual(2 * 3_600_000);
  const hashes = async () => (await principal(first.api_key))?.liveSecrets.map(({ hash }) => hash);
  const hash = ({ api_secret }: Credentials) => tokenHash(api_secret).toString('hex');
  expect((await hashes())?.sort()).toEqual([hash(first), hash(second)].sort());
  const { document: third } = await operator.json<Credentials>(
    'secret',
    'rotate',
    'turner',
    '--overlap',
    '24h',
  );
  expect((await hashes())?.sort()).toEqual([hash(second), hash(third)].sort());
  const shown = await operator.run('customer', 'show', 'turner', '--json');
  const audit = await operator.run('audit', 'turner', '--json');
  for (const { api_secret } of [first, second, third]) {
    for (const text of [shown.stdout, audit.stdout]) {
      expect(text).not.toContain(api_secret);
      expect(text).not.toContain(tokenHash(api_secret).toString('hex'));
    }
  }
  expect((await operator.run('secret', 'rotate', 'turner', '--overlap', '0')).code).toBe(0);
  expect(await hashes()).toHaveLength(1);
  expect(await operator.json('secret', 'revoke', 'turner')).toMatchObject({
    code: 0,
    document: { revoked: 1 },
  });
  expect(await hashes()).toEqual([]);
  expect((await operator.run('secret', 'revoke', 'turner')).code).toBe(1);
});

test.each([['1.234'], ['1e309'], ['']])(
  'charge add refuses the amount %j as typed wrongly',
  async (amount) => {
    const { code, stderr } = await operator.run('charge', 'add', 'acme', '--amount', amount);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/amount/i)]);
  },
);

test('exit codes: 1 for a rejected command, 2 for a usage error, both with JSON output', async () => {
  expect(await operator.json('customer', 'show', 'nobody')).toMatchObject({
    code: 1,
    document: { error: { code: 'not_found' } },
  });
  expect(await operator.json('charge', 'add', 'acme', '--amount', '-5')).toMatchObject({
    code: 1,
    document: { error: { code: 'invalid_input' } },
  });
  expect(await operator.json(...person('acme'))).toMatchObject({
    code: 1,
    document: { error: { code: 'already_exists' } },
  });
  expect(await operator.json('customer', 'create')).toMatchObject({
    code: 2,
    document: { error: { code: 'usage' } },
  });
  expect((await operator.run('nonsense')).code).toBe(2);
  expect((await operator.run()).code).toBe(2);
  expect((await operator.run('charge', 'add', '--help')).code).toBe(0);
});

test('exit codes: are those of the process', async () => {
  const [refused, usage] = await Promise.all([
    operator.runProcess('customer', 'show', 'nobody'),
    operator.runProcess('nonsense', '--json'),
  ]);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('no customer') });
  expect(usage).toMatchObject({ code: 2, stderr: expect.stringContaining('nonsense') });
  expect(JSON.parse(usage.stdout)).toMatchObject({ error: { code: 'usage' } });
});

test('exit codes: 2 for invalid settings, each on a line', async () => {
  const { code, stderr } = await operatorOn(database, { PORT: 'web', SANDBOX_PORT: '0' }).run('city', 'list');
  const problem = 'must be a whole number from 1 to 65535.';
  expect([code, stderr]).toEqual([2, `PORT ${problem}\nSANDBOX_PORT ${problem}\n`]);
});

const needsName = 'The audit needs your name. Pass it as --actor.\n';

test('--actor: must not be empty', async () => {
  const { code, stderr } = await operator.run(
    'customer',
    'update',
    'acme',
    '--phone',
    '555-0143',
    '--actor',
    ' ',
  );
  expect([code, stderr]).toEqual([2, needsName]);
});

test('--actor: is asked for when the system user has no name, as in a container with another user', async () => {
  const nameless = `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module';
    os.userInfo = () => { throw new Error('uv_os_get_passwd returned ENOENT'); }; syncBuiltinESMExports();`;
  const node = ['--import', `data:text/javascript,${encodeURIComponent(nameless)}`];
  const runNameless = async (...args: string[]) => {
    const child = operator.start(['city', 'list', ...args], { node });
    const stderr = text(child.stderr ?? Readable.from([]));
    await once(child, 'close');
    return [child.exitCode, await stderr];
  };
  expect(await runNameless()).toEqual([2, needsName]);
  expect(await runNameless('--actor', 'anna')).toEqual([0, '']);
});

test('output: escapes untrusted text in the terminal, JSON, and CSV', async () => {
  const trap = '=1+1\u001b[31m\u202e';
  await operator.run('customer', 'update', 'acme', '--name', trap);
  await operator.run('charge', 'add', 'acme', '--amount', '1', '--description', trap, '--reference', '=trap');
  const outputs = await Promise.all(
    [
      ['customer', 'show', 'acme'],
      ['customer', 'list', '--json'],
      ['charge', 'list', 'acme'],
      ['charge', 'list', 'acme', '--json'],
      ['charge', 'list', 'acme', '--csv'],
      ['audit', 'acme'],
    ].map((args) => operator.run(...args)),
  );
  for (const { stdout } of outputs) expect(stdout).not.toMatch(/[^\P{Cc}\r\n]|\p{Cf}/u);
  expect(outputs[4]?.stdout).toContain("'=1+1\\u{1b}[31m\\u{202e},'=trap,");
  const { document } = await operator.json<{ entries: { description: string }[] }>('charge', 'list', 'acme');
  expect(document.entries.map(({ description }) => description)).toContain(trap);
});

test('entry reverse: reverses once and records the actor in the audit', async () => {
  await operator.run('charge', 'add', 'acme', '--amount', '7', '--reference', 'wrong');
  expect((await operator.run('charge', 'reverse', 'acme', 'wrong', '--actor', 'anna')).code).toBe(0);
  expect((await operator.run('charge', 'reverse', 'acme', 'wrong')).code).toBe(1);
  const { document } = await operator.json<{ changes: { actor: string; action: string }[] }>(
    'audit',
    'acme',
    '--limit',
    '1',
  );
  expect(document.changes).toMatchObject([
    { actor: 'operator:anna', action: 'entry.reversed', subject: 'wrong' },
  ]);
});

test('charge add: says how to repeat it without adding it twice when the response is lost', async () => {
  // Between the command and PostgreSQL, which commits before it is ready for the next query.
  const proxy = createServer((client) => {
    const { hostname, port } = new URL(database.operatorUrl);
    const upstream = connect(Number(port), hostname);
    client.pipe(upstream);
    let isAdding = false;
    client.on('data', (sent) => {
      isAdding ||= sent.includes('insert into ledger_entries');
    });
    upstream.on('data', (reply) => {
      if (isAdding && reply.includes('SELECT 1\0Z')) client.destroy();
      else client.write(reply);
    });
    for (const socket of [client, upstream]) socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(database.operatorUrl);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const add = ['charge', 'add', 'acme', '--amount', '12.50'];
  const lost = await operatorOn({ operatorUrl: url.href }).run(...add);
  proxy.close();
  const [, reference = ''] = /--reference (ref-\w+)/.exec(lost.stderr) ?? [];
  expect([lost.code, lost.stdout]).toEqual([1, '']);
  const { document } = await operator.json<{ entries: object[] }>(
    'charge',
    'list',
    'acme',
    '--text',
    reference,
  );
  expect(document.entries).toMatchObject([{ reference, amount: '12.50' }]);
  expect((await operator.json(...add, '--reference', reference)).document).toMatchObject({
    error: { code: 'already_exists' },
  });
});

test.each([
  ['payment', '250', '-$250.00'],
  ['credit', '5', '-$5.00'],
  ['adjustment', '-1.20', '-$1.20'],
  ['delivery', '0', '$0.00'],
])('charge add: says a %s of %s as it is listed, %s', async (kind, amount, listed) => {
  const reference = `said-${kind}`;
  const args = ['--kind', kind, '--amount', amount, '--reference', reference];
  expect((await operator.run('charge', 'add', 'acme', ...args)).stdout).toContain(
    `Added ${kind} of ${listed} on`,
  );
  const { stdout } = await operator.run('charge', 'list', 'acme', '--text', reference);
  expect(stdout).toContain(` ${listed}  ${reference}`);
});

test.each([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
  ['Escape', '\x1b'],
])('confirmation: %s on a terminal changes nothing', async (_, key) => {
  const terminal = 'process.stdin.isTTY = process.stdout.isTTY = true; process.stdin.setRawMode = () => {};';
  const node = ['--import', `data:text/javascript,${terminal}`];
  const child = operator.start(['customer', 'erase', 'acme'], { node });
  const stderr = text(child.stderr ?? Readable.from([]));
  child.stdout?.once('data', () => child.stdin?.end(key));
  await once(child, 'close');
  expect([child.exitCode, await stderr]).toEqual([1, 'Nothing was changed.\n']);
  expect((await operator.run('customer', 'show', 'acme')).code).toBe(0);
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
  expect(await operator.json('ledger', 'verify')).toMatchObject({
    code: 0,
    document: { ok: true, differences: [] },
  });
  await database.sql`UPDATE ledger_months SET amount_cents = amount_cents + 1`;
  expect(await operator.json('ledger', 'verify')).toMatchObject({ code: 1, document: { ok: false } });
  expect((await operator.run('ledger', 'rebuild')).code).toBe(0);
  const verified = await operator.run('ledger', 'verify');
  expect([verified.code, verified.stderr]).toEqual([0, expect.stringMatching(/^\d+ customers? checked$/m)]);
});

describe('output that cannot be written', () => {
  /** @param stdio of standard output and standard error; `closed` is a pipe that nobody reads any more */
  const runInto = async (stdio: ('closed' | 'pipe' | number)[], ...args: string[]) => {
    const piped: StdioOptions = ['ignore', ...stdio.map((one) => (one === 'closed' ? 'pipe' : one))];
    const child = operator.start(args, { stdio: piped });
    const texts = ['', ''];
    for (const [index, stream] of [child.stdout, child.stderr].entries()) {
      if (stdio[index] === 'closed') stream?.destroy();
      else {
        stream?.on('data', (piece) => {
          texts[index] += piece;
        });
      }
    }
    const [code] = await once(child, 'close');
    return { code, stdout: texts[0], stderr: texts[1] };
  };

  test('standard error: the command goes on without its messages', async () => {
    expect(await runInto(['pipe', 'closed'], 'ledger', 'verify')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('match'),
    });
  });

  test('standard output: the exit code of a failure stays', async () => {
    await operator.run('charge', 'add', 'acme', '--amount', '1');
    expect(await runInto(['closed', 'pipe'], 'ledger', 'verify')).toMatchObject({ code: 0 });
    await database.sql`UPDATE ledger_months SET amount_cents = amount_cents + 1`;
    expect(await runInto(['closed', 'pipe'], 'ledger', 'verify')).toMatchObject({ code: 1 });
    await operator.run('ledger', 'rebuild');
  });

  test('standard output: a failure other than a closed pipe is reported', async () => {
    const readOnly = openSync(path.join(operator.folder, file('read-only', '')), 'r');
    expect(await runInto([readOnly, 'pipe'], 'customer', 'list')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('EBADF'),
    });
    closeSync(readOnly);
  });
});

test('help: every command has a description, and an example where needed', () => {
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  for (const command of all(program)) {
    let help = '';
    command.configureOutput({
      writeOut: (text) => {
        help += text;
      },
    });
    command.outputHelp();
    expect(help).toContain('--json');
    expect(command.description().length).toBeGreaterThan(10);
    if (command.options.some(({ mandatory }) => mandatory)) expect(help).toContain('$ operator');
  }
});

test('help: lists defaults, such as how many rows a list has', () => {
  const defaultsOf = (command: Command, path: string): string[] => {
    const own = command.options.flatMap(({ long, defaultValue }) =>
      defaultValue === undefined ? [] : `${path} ${long} ${defaultValue}`,
    );
    return [...own, ...command.commands.flatMap((sub) => defaultsOf(sub, `${path} ${sub.name()}`))];
  };
  expect(defaultsOf(program, 'operator')).toEqual([
    'operator customer list --limit 100',
    'operator secret rotate --overlap 86400',
    'operator card list --limit 100',
    'operator charge add --at now',
    'operator charge add --kind delivery',
    'operator charge list --limit 100',
    'operator audit --limit 50',
    'operator security events --limit 100',
  ]);
});

test('completion: completes commands and options in bash', async () => {
  mkdirSync(path.join(operator.folder, 'shell'));
  const { stdout } = await operator.run('completion', 'bash');
  file('shell/completion.bash', stdout);
  const { execFileSync } = await import('node:child_process');
  const complete = (...parameters: string[]) => {
    const script = `source completion.bash; COMP_WORDS=(${parameters.map((parameter) => `'${parameter}'`).join(' ')}); COMP_CWORD=${parameters.length - 1}; _operator; echo "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script], {
      cwd: path.join(operator.folder, 'shell'),
      encoding: 'utf8',
    }).trim();
  };
  expect(complete('operator', 'ci')).toBe('city');
  expect(complete('operator', 'charge', 're')).toBe('reverse');
  expect(complete('operator', 'charge', 'add', 'acme', '--mi')).toBe('--miles');
  expect(complete('operator', 'audit', 'acme', '--js')).toBe('--json');
});
