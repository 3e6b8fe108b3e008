import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { checkout } from '#tools/checkout.ts';
import { createLogger } from './log.ts';

test('log: writes only allowed fields and no values from database errors', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'log-'));
  const LOG_FILE = path.join(folder, 'service.log');
  const refused = Object.assign(new Error('invalid input syntax for type uuid: "a secret"'), {
    code: '22P02',
  });
  const failed = new Error('Failed query: select … params:\n    at a secret', { cause: refused });
  const line = {
    requestId: 'one',
    status: 500,
    error: failed,
    token: 'a secret',
    headers: { cookie: 'a secret' },
  };
  createLogger({ LOG_LEVEL: 'info', LOG_FILE, LOG_FILE_MB: 1 }).error(line, 'request');
  const written = () => readFile(LOG_FILE, 'utf8');
  await expect.poll(written).toContain('\n');
  const text = await written();
  expect(text).not.toContain('a secret');
  expect(JSON.parse(text)).toMatchObject({
    level: 'error',
    msg: 'request',
    requestId: 'one',
    status: 500,
    error: { message: 'Failed query', cause: { code: '22P02', message: 'PostgreSQL refused: 22P02' } },
  });
  expect(line.token).toBe('a secret');
  await rm(folder, { recursive: true });
});

test.each([
  () => JSON.parse('4242 secret_test_1'),
  () => BigInt('4242 secret_test_1'),
  () => JSON.parse('\nat 4242424242424242'),
])('log: what could not be parsed is not in the log', async (parse) => {
  const error = await Promise.resolve()
    .then(parse)
    .catch((error: unknown) => error);
  await inFolder(async (_, LOG_FILE) => {
    createLogger({ LOG_LEVEL: 'info', LOG_FILE, LOG_FILE_MB: 1 }).error({ error }, 'request');
    await expect.poll(() => textOf(LOG_FILE)).toContain('\n');
    const text = await textOf(LOG_FILE);
    expect(text).not.toMatch(/4242|secret_test/);
    expect(JSON.parse(text).error).toMatchObject({
      type: 'SyntaxError',
      message: 'A text could not be parsed',
      stack: expect.arrayContaining([expect.stringContaining('log.test.ts')]),
    });
  });
});

test.each<[string, () => unknown, object]>([
  [
    'the frames of an error, up to 12',
    () => deepError(30),
    { message: 'deep', stack: expect.toSatisfy(are12Frames) },
  ],
  ['no frames after a message that was replaced', () => renamed(deepError(1)), { stack: [] }],
  ['the message of a code of Node.js', () => withCode('ENOENT'), { code: 'ENOENT', message: 'quoted' }],
  ['the message of a longer code', () => withCode('22P02X'), { message: 'quoted' }],
  ['the type of a text that was thrown', () => 'secret_test_1', { type: 'string' }],
])('log: has %s', async (_, make, expected) => {
  await inFolder(async (_folder, LOG_FILE) => {
    createLogger({ LOG_LEVEL: 'info', LOG_FILE, LOG_FILE_MB: 1 }).error({ error: make() }, 'request');
    await expect.poll(() => textOf(LOG_FILE)).toContain('\n');
    expect(JSON.parse(await textOf(LOG_FILE)).error).toMatchObject(expected);
  });
});

function deepError(depth: number): Error {
  if (depth > 0) return deepError(depth - 1);
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const error = new Error('deep');
  Error.stackTraceLimit = stackTraceLimit;
  return error;
}

/** Node.js makes the stack when it is first read. */
function renamed(error: Error): Error {
  return error.stack ? Object.assign(error, { message: 'another one' }) : error;
}

function are12Frames(lines: string[]): boolean {
  return lines.length === 12 && lines.every((line) => /^\s+at \S/.test(line));
}

const withCode = (code: string) => Object.assign(new Error('quoted'), { code });

test('log: times are in UTC, and text cannot end a line or control a terminal', async () => {
  await inFolder(async (_, LOG_FILE) => {
    createLogger({ LOG_LEVEL: 'info', LOG_FILE, LOG_FILE_MB: 1 }).info({
      path: '/\u001b[2J\n{"level":"error"}',
    });
    await expect.poll(() => textOf(LOG_FILE)).toContain('\n');
    const text = await textOf(LOG_FILE);
    expect(text.trimEnd()).not.toMatch(/\p{Cc}/u);
    const { time, path } = JSON.parse(text);
    expect(path).toBe('/\u001b[2J\n{"level":"error"}');
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});

/** Logs lines for each line of its standard input, until that ends or one begins with `exit`. */
const PROGRAM = `
  import { createInterface } from 'node:readline';
  import { createLogger } from './src/log.ts';
  const log = createLogger({ LOG_LEVEL: 'info', LOG_FILE: process.argv[1] || undefined, LOG_FILE_MB: 1 });
  for await (const line of createInterface({ input: process.stdin })) {
    const [path, times] = line.split(' ');
    for (let count = 0; count < Number(times); count += 1) log.info({ path, status: count }, 'request');
    process.stderr.write(path + ' logged\\n');
    if (path === 'exit') process.exit();
  }
`;

async function startLogging(file = '', env: Record<string, string> = {}) {
  const options = { cwd: checkout, env: { ...process.env, ...env } };
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, file], options);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk));
  return {
    stdout: child.stdout,
    errors: () => errors,
    log: async (path: string, times: number) => {
      child.stdin.write(`${path} ${times}\n`);
      await expect.poll(() => errors).toContain(`${path} logged`);
    },
    end: async (last = '') => {
      const exited = once(child, 'exit');
      child.stdin.end(last);
      return (await exited)[0] as number;
    },
  };
}

async function inFolder(run: (folder: string, file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'log-'));
  await run(folder, path.join(folder, 'service.log')).finally(() => rm(folder, { recursive: true }));
}
const textOf = (file: string) => readFile(file, 'utf8').catch(() => '');

test('log: a full disk does not stop the service, and lines are written once there is space', async () => {
  await inFolder(async (folder, file) => {
    // Writing to it fails with ENOSPC.
    await symlink('/dev/full', file);
    const logging = await startLogging(file);
    await logging.log('full', 50);
    await expect.poll(logging.errors).toContain('The log cannot be written (ENOSPC).');
    await logging.log('more', 100_000);
    expect(logging.errors().match(/ENOSPC/g)).toHaveLength(1);
    // The service creates it.
    await rm(file);
    // The lines that waited are more than a file's maximum size.
    const written = async () => {
      const texts = (await readdir(folder)).map((name) => textOf(path.join(folder, name)));
      return (await Promise.all(texts)).join('');
    };
    await expect.poll(written).toContain('Log lines were dropped.');
    await logging.log('after', 1);
    expect(await logging.end()).toBe(0);
    const lines = (await written())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const dropped = lines.find((line) => line.dropped)?.dropped;
    expect(dropped).toBeGreaterThan(1_000);
    expect(lines.filter((line) => line.path)).toHaveLength(50 + 100_000 + 1 - dropped);
  });
});

test('log: exits while the disk is full', async () => {
  const logging = await startLogging('/dev/full');
  await logging.log('full', 50);
  await expect.poll(logging.errors).toContain('ENOSPC');
  expect(await logging.end()).toBe(0);
});

test('log: writes all lines before the exit', async () => {
  await inFolder(async (_, file) => {
    const logging = await startLogging(file);
    expect(await logging.end('exit 5000\n')).toBe(0);
    const lines = (await textOf(file)).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).status)).toEqual([...Array(5_000).keys()]);
  });
});

test('log: exits when it finds the disk full', async () => {
  const logging = await startLogging('/dev/full');
  expect(await logging.end('exit 50\n')).toBe(0);
});

test.for([10_000, 100_000])(
  'log: exits while %i lines wait for a reader that does not read',
  async (lines) => {
    const logging = await startLogging();
    expect(await logging.end(`exit ${lines}\n`)).toBe(0);
  },
);

test('log: a reader that does not read stops nothing, and learns how many lines it missed', async () => {
  const logging = await startLogging();
  await logging.log('unread', 100_000);
  const lines: { path?: string; dropped?: number }[] = [];
  createInterface({ input: logging.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
  const dropped = () => lines.find((line) => line.dropped)?.dropped ?? 0;
  await expect.poll(dropped).toBeGreaterThan(1_000);
  await logging.log('after', 1);
  expect(await logging.end()).toBe(0);
  await expect.poll(() => lines.filter((line) => line.path).length).toBe(100_001 - dropped());
});

test('log: is renamed at its maximum size, five times, and loses no line', async () => {
  await inFolder(async (folder, file) => {
    const logging = await startLogging(file);
    const files = [file, ...[1, 2, 3, 4, 5].map((number) => `${file}.${number}`)];
    const linesOf = async (round: number) => {
      const texts = await Promise.all(files.map(textOf));
      return texts.join('').split(`"path":"round-${round}"`).length - 1;
    };
    for (let round = 1; round <= 7; round += 1) {
      await logging.log(`round-${round}`, 15_000);
      await expect.poll(() => linesOf(round)).toBe(15_000);
      await expect.poll(async () => (await textOf(file)).length).toBeLessThan(1024 * 1024);
    }
    expect(await logging.end()).toBe(0);
    expect((await readdir(folder)).sort()).toEqual(files.map((name) => path.basename(name)));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

test('log: a worker process starts while its file cannot be opened, and writes its lines once it can', async () => {
  await inFolder(async (_, file) => {
    await mkdir(file);
    // What node:cluster sets for the processes that it starts.
    const logging = await startLogging(file, { NODE_UNIQUE_ID: '1' });
    await logging.log('first', 1);
    await expect.poll(logging.errors).toContain('The log cannot be written (EISDIR).');
    await rmdir(file);
    await expect.poll(() => textOf(file)).toContain('first');
    expect(await logging.end()).toBe(0);
    expect(logging.errors().match(/cannot be written/g)).toHaveLength(1);
  });
});

test('log: follows a file that was renamed, and goes on while its folder is gone', async () => {
  await inFolder(async (folder, file) => {
    const logging = await startLogging(file);
    await logging.log('first', 1);
    await expect.poll(() => textOf(file)).toContain('first');
    await rename(folder, `${folder}-moved`);
    await expect.poll(logging.errors).toContain('The log cannot be written (ENOENT).');
    await logging.log('gone', 1);
    await expect.poll(() => textOf(path.join(`${folder}-moved`, 'service.log'))).toContain('gone');
    await rename(`${folder}-moved`, folder);
    await rename(file, `${file}.old`);
    await expect
      .poll(() =>
        textOf(file)
          .then(() => stat(file))
          .then(
            () => true,
            () => false,
          ),
      )
      .toBe(true);
    await logging.log('last', 1);
    await expect.poll(() => textOf(file)).toContain('last');
    expect(await logging.end()).toBe(0);
  });
});
