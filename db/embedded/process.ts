import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chown,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Installation } from './installation.ts';

/** Faster but not durable, for the databases of tests. */
export type Durability = 'durable' | 'fast';

const RECOVERY_SECONDS = 300;
const STARTS_MAX = 10;
/** PostgreSQL's log is never rotated, and erasing a customer does not change it, so rows and statements are kept out. */
const LOGGING = ['log_checkpoints=off', 'log_error_verbosity=terse', 'log_min_error_statement=panic'];
/** Several runs share one server. */
const FAST = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=1000',
  // `testDatabase` checks each statement.
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track=all',
  'pg_stat_statements.max=50000',
  'pg_stat_statements.save=off',
];
/** Of util-linux. */
const FLOCK = '/usr/bin/flock';
const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/**
 * Creates the files of a new server if missing. They are created in a temporary folder and then renamed, so that a
 * crash does not leave incomplete files.
 */
export async function createDatabaseFiles(
  installation: Installation,
  owner: string,
  password: string,
): Promise<void> {
  const names = await readdir(installation.home);
  if (names.includes('data')) return await checkMajorVersion(installation);
  for (const name of names) {
    if (name.startsWith('init-')) await rm(path.join(installation.home, name), { recursive: true });
  }
  const fresh = path.join(installation.home, `init-${randomBytes(4).toString('hex')}`);
  const passwordFile = path.join(fresh, 'password');
  await mkdir(fresh, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  const { account } = installation;
  if (account) await Promise.all([fresh, passwordFile].map((file) => chown(file, account.uid, account.gid)));
  const files = ['--pgdata', path.join(fresh, 'data'), '--pwfile', passwordFile, '--username', owner];
  const result = await runTool(installation, 'initdb', [
    ...files,
    '--auth=scram-sha-256',
    '--no-instructions',
    ...LOCALE,
  ]);
  if (result.code !== 0) throw new Error(`The files of the database could not be created: ${result.output}`);
  await rename(path.join(fresh, 'data'), installation.data);
  await rm(fresh, { recursive: true });
}

async function checkMajorVersion(installation: Installation): Promise<void> {
  const version = await runTool(installation, 'postgres', ['--version']);
  const [program] = /\d+/.exec(version.output) ?? [];
  const data = (await readFile(path.join(installation.data, 'PG_VERSION'), 'utf8')).trim();
  if (program === data) return;
  throw new Error(
    `The data in ${installation.data} is from PostgreSQL ${data}, but the embedded server is PostgreSQL ${program}.`,
  );
}

/**
 * The port of the running server, which is started if necessary. An earlier process may have been killed without stopping
 * it. PostgreSQL runs as a daemon in its own session, so that Ctrl-C in our terminal does not reach it.
 * @param whileStarting other work for the time in which the server starts
 */
export async function startDatabaseServer(
  installation: Installation,
  durability: Durability,
  preferredPort: number,
  whileStarting?: () => Promise<unknown>,
): Promise<number> {
  const deadlineMs = performance.now() + RECOVERY_SECONDS * 1000;
  for (let attempt = 0; performance.now() < deadlineMs; ) {
    const running = await runningServer(installation);
    if (running?.isReady) return running.port;
    if (!running) {
      const port = await freePort(attempt === 0 ? preferredPort : 0);
      // The last start says everything, because its messages are shown if it fails.
      const logging = attempt < STARTS_MAX - 1 ? LOGGING : [];
      const settings = [
        'max_connections=200',
        'timezone=UTC',
        ...logging,
        ...(durability === 'fast' ? FAST : []),
      ];
      const options = `-p ${port} -h 127.0.0.1 -k "" ${settings.map((setting) => `-c ${setting}`).join(' ')}`;
      const log = path.join(installation.data, 'server.log');
      const start = ['start', '-w', '-t', `${RECOVERY_SECONDS}`, '-l', log, '-o', options];
      // All processes of the server inherit the lock.
      const lock = existsSync(FLOCK) ? [FLOCK, '-s', installation.data] : [];
      const [started] = await Promise.all([runTool(installation, 'pg_ctl', start, lock), whileStarting?.()]);
      attempt += 1;
      // The port may have been taken meanwhile, or children of a killed server may still be exiting.
      if (started.code !== 0 && attempt === STARTS_MAX) {
        throw new Error(`The database could not be started.\n${started.output}\n${await lastLines(log)}`);
      }
    }
    await delay(running || attempt > 1 ? 300 : 0);
  }
  throw new Error(
    `The database in ${installation.data} did not become ready in ${RECOVERY_SECONDS} seconds.`,
  );
}

/** Whether a server uses the files, also one whose processes are not visible here. Without `flock`, it is not known. */
export function isServed({ data }: Installation): boolean {
  return existsSync(data) && spawnSync(FLOCK, ['-n', '-x', data, 'true']).status === 1;
}

/** Stops the server after disconnecting its clients (fast shutdown). */
export async function stopDatabaseServer(installation: Installation): Promise<void> {
  if (!(await runningServer(installation))) return;
  const stopped = await runTool(installation, 'pg_ctl', ['stop', '-w', '-m', 'fast', '-t', '60']);
  if (stopped.code !== 0) throw new Error(`The database could not be stopped: ${stopped.output}`);
}

async function runningServer(
  installation: Installation,
): Promise<{ port: number; isReady: boolean } | undefined> {
  const file = path.join(installation.data, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!(pid > 0)) return undefined;
  if (await isServerOf(installation, pid))
    return { port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
  // Another process has this ID now; PostgreSQL would take it for a server and refuse to start.
  await rm(file, { force: true });
  return undefined;
}

async function isServerOf(installation: Installation, pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  if (process.platform !== 'linux') {
    return execFileSync('ps', ['-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).includes('postgres');
  }
  // Only a server has its data folder as the working directory.
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  return folder === (await realpath(installation.data));
}

type ToolResult = { code: number | null; output: string };

function runTool(
  installation: Installation,
  tool: string,
  parameters: string[],
  prefix: string[] = [],
): Promise<ToolResult> {
  const identity = installation.account
    ? { uid: installation.account.uid, gid: installation.account.gid }
    : {};
  // Only these variables, because PGPORT and the like would redirect the tools. A path in PGDATA needs no quoting.
  const env = {
    NODE_ENV: 'production' as const,
    PATH: process.env.PATH,
    LC_ALL: 'C',
    TZ: 'UTC',
    PGDATA: installation.data,
  };
  const [program = '', ...rest] = [...prefix, path.join(installation.binaries, tool), ...parameters];
  const child = spawn(program, rest, {
    cwd: '/',
    env,
    ...identity,
    detached: true,
  });
  child.stdin.end();
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output: output.trim() }));
  });
}

function freePort(preferredPort: number): Promise<number> {
  const listener = createServer();
  return new Promise((resolve, reject) => {
    listener.once('error', (error) => (preferredPort === 0 ? reject(error) : resolve(freePort(0))));
    listener.listen(preferredPort, '127.0.0.1', () => {
      const address = listener.address();
      listener.close(() => resolve(address && typeof address === 'object' ? address.port : 0));
    });
  });
}

async function lastLines(log: string): Promise<string> {
  const file = await open(log).catch(() => undefined);
  if (!file) return '';
  const lines = (await file.readFile('utf8')).trim().split('\n');
  await file.close();
  return lines.slice(-10).join('\n');
}
