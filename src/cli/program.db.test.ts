import type { StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '#tools/testing/database.ts';
import { startProxy } from '#tools/testing/proxy.ts';
import { isThorough } from '#tools/testing/thorough.ts';
import { loadProgram } from './program.ts';
import { feature, operatorOn, person, polygon, ring } from './testing.ts';

const database = await testDatabase();
const operator = operatorOn(database);
const program = await loadProgram();
const { file } = operator;

beforeAll(async () => {
  const { code } = await operator.run('city import', file('city.geojson', feature(polygon(ring))));
  expect(code).toBe(0);
  expect((await operator.run(...person('acme'))).code).toBe(0);
});

test('exit codes: 1 for a rejected command, 2 for a usage error, both with JSON output', async () => {
  expect(await operator.json('customer show nobody')).toMatchObject({
    code: 1,
    document: { error: { code: 'not_found' } },
  });
  expect(await operator.json('charge add acme --amount -5')).toMatchObject({
    code: 1,
    document: { error: { code: 'invalid_input' } },
  });
  expect(await operator.json(...person('acme'))).toMatchObject({
    code: 1,
    document: { error: { code: 'already_exists' } },
  });
  expect(await operator.json('customer create')).toMatchObject({
    code: 2,
    document: { error: { code: 'usage' } },
  });
  expect(await operator.json('charge')).toMatchObject({
    code: 2,
    document: { error: { code: 'usage', message: 'missing command' } },
  });
  expect((await operator.run('nonsense')).code).toBe(2);
  expect((await operator.run()).code).toBe(2);
  expect((await operator.run('charge add --help')).code).toBe(0);
});

test('errors: are printed once, also if they are about one field', async () => {
  const { stderr } = await operator.run('charge add acme --amount -5');
  expect(stderr).toBe('The amount of a delivery must be positive. To reduce a balance, use a credit.\n');
});

test('errors: a connection to the database that is lost is one sentence and what to do', async () => {
  const wire = await startProxy('database', new URL(database.operatorUrl), ({ bytes }) => {
    if (bytes.includes('revoked_at = now()')) wire.cut();
    return true;
  });
  const lost = await operatorOn({ operatorUrl: wire.url.href }).json('secret revoke acme');
  expect(lost).toEqual({
    code: 1,
    document: {
      error: {
        code: 'failed',
        message: expect.stringMatching(
          /^The connection to the database failed \(.+\)\. Check whether anything was changed before you run the command again\.$/,
        ),
      },
    },
  });
  const [secrets] = await database.sql`select count(revoked_at)::int as revoked from secrets`;
  expect(secrets).toEqual({ revoked: 0 });
  await wire.close();
});

test('exit codes: are those of the process', async () => {
  const [refused, usage] = await Promise.all([
    operator.runProcess('customer show nobody'),
    operator.runProcess('nonsense --json'),
  ]);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('no customer') });
  expect(usage).toMatchObject({ code: 2, stderr: expect.stringContaining('nonsense') });
  expect(JSON.parse(usage.stdout)).toMatchObject({ error: { code: 'usage' } });
});

test('exit codes: 2 for invalid settings, each on a line', async () => {
  const { code, stderr } = await operatorOn(database, { PORT: 'web', SANDBOX_PORT: '0' }).run('city list');
  const problem = 'must be a whole number from 1 to 65535.';
  expect([code, stderr]).toEqual([2, `PORT ${problem}\nSANDBOX_PORT ${problem}\n`]);
});

const needsName = 'The audit needs your name. Pass it as --actor.\n';

test('--actor: must not be empty', async () => {
  const { code, stderr } = await operator.run('customer update acme --phone 555-0143 --actor', ' ');
  expect([code, stderr]).toEqual([2, needsName]);
});

test('--actor: is asked for when the system user has no name, as in a container with another user', async () => {
  const nameless = `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module';
    os.userInfo = () => { throw new Error('uv_os_get_passwd returned ENOENT'); }; syncBuiltinESMExports();`;
  const node = ['--import', `data:text/javascript,${encodeURIComponent(nameless)}`];
  const runNameless = async (...args: string[]) => {
    const child = operator.start(['city list', ...args], { node });
    const stderr = text(child.stderr ?? Readable.from([]));
    await once(child, 'close');
    return [child.exitCode, await stderr];
  };
  expect(await runNameless()).toEqual([2, needsName]);
  expect(await runNameless('--actor', 'anna')).toEqual([0, '']);
});

describe.runIf(isThorough)('output that cannot be written', () => {
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
    await operator.run('charge add acme --amount 1');
    expect(await runInto(['closed', 'pipe'], 'ledger', 'verify')).toMatchObject({ code: 0 });
    await database.sql`UPDATE ledger_months SET amount_cents = amount_cents + 1`;
    expect(await runInto(['closed', 'pipe'], 'ledger', 'verify')).toMatchObject({ code: 1 });
    await operator.run('ledger rebuild');
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
    const own = command.options.flatMap(({ long, defaultValue, defaultValueDescription }) =>
      defaultValue === undefined ? [] : `${path} ${long} ${defaultValueDescription ?? defaultValue}`,
    );
    return [...own, ...command.commands.flatMap((sub) => defaultsOf(sub, `${path} ${sub.name()}`))];
  };
  expect(defaultsOf(program, 'operator')).toEqual([
    'operator customer list --limit 100',
    'operator secret rotate --overlap 24h',
    'operator card list --limit 100',
    'operator charge add --at now',
    'operator charge add --kind delivery',
    'operator charge list --limit 100',
    'operator audit --limit 50',
    'operator security events --since 7d',
    'operator security events --limit 100',
  ]);
});

test('completion: completes commands and options in bash', async () => {
  mkdirSync(path.join(operator.folder, 'shell'));
  const { stdout } = await operator.run('completion bash');
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
