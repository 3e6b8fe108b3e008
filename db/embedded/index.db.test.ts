import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkout } from '#tools/checkout.ts';
import { type TemporaryFolder, temporaryFolder } from '#tools/testing/processes.ts';
import { isThorough } from '#tools/testing/thorough.ts';
import { type EmbeddedDatabase, openEmbeddedDatabase } from './index.ts';

const USER = `
  import { openEmbeddedDatabase } from './db/embedded/index.ts';
  const database = await openEmbeddedDatabase(process.argv[1]);
  console.log(JSON.stringify(database));
  process.once('SIGTERM', () => database.release().then(() => process.exit(0)));
  setInterval(() => {}, 60_000);
`;

let folder: TemporaryFolder;
let dataDir = '';
let users: ChildProcess[] = [];

beforeEach(async () => {
  folder = await temporaryFolder('embedded database');
  dataDir = path.join(folder.path, 'data');
  users = [];
});

afterEach(async () => {
  await Promise.all(users.map((user) => end(user, 'SIGKILL')));
  // Opening and releasing the database stops a server that no process uses.
  if (await postmasterPid().catch(() => undefined)) await (await open()).release();
  await folder.remove();
});

function open(): Promise<EmbeddedDatabase> {
  return openEmbeddedDatabase(dataDir);
}

/** Starts another process that opens the database. */
async function startUser(): Promise<{ process: ChildProcess; database: EmbeddedDatabase }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', USER, dataDir], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  users.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    return { process: child, database: JSON.parse(line) };
  }
  throw new Error('The process ended early.');
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

async function query<Row>(url: string, text: string): Promise<Row[]> {
  const sql = postgres(url, { max: 1, connect_timeout: 5 });
  try {
    return await sql.unsafe<Row[] & Record<string, unknown>[]>(text);
  } finally {
    await sql.end();
  }
}

async function postmasterPid(): Promise<number> {
  const text = await readFile(path.join(dataDir, 'postgres/data/postmaster.pid'), 'utf8');
  return Number(text.split('\n')[0]);
}

describe('openEmbeddedDatabase', () => {
  it.runIf(isThorough)(
    'starts one server for concurrent processes and stops it with the last one',
    async () => {
      const opened = await Promise.all([open(), startUser(), startUser()]);
      const [ours, second, third] = [opened[0], opened[1].database, opened[2].database];
      expect(new Set([ours.webUrl, second.webUrl, third.webUrl]).size).toBe(1);
      await ours.release();
      await ours.release();
      await end(opened[1].process, 'SIGTERM');
      expect(await query(third.webUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await end(opened[2].process, 'SIGTERM');
      await expect(query(third.webUrl, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
      await expect(postmasterPid()).rejects.toThrow('ENOENT');
    },
  );

  it('keeps running when a process is killed and is reused by the next', async () => {
    const user = await startUser();
    await query(user.database.ownerUrl, 'CREATE TABLE kept AS SELECT 42 AS value');
    const pid = await postmasterPid();
    await end(user.process, 'SIGKILL');
    const next = await open();
    expect(next.webUrl).toBe(user.database.webUrl);
    expect(await postmasterPid()).toBe(pid);
    expect(await query(next.ownerUrl, 'SELECT value FROM kept')).toEqual([{ value: 42 }]);
    await next.release();
    await expect(postmasterPid()).rejects.toThrow('ENOENT');
  });

  it("recovers when process and server were killed and the server's process id was reused", async () => {
    const user = await startUser();
    await query(user.database.ownerUrl, 'CREATE TABLE kept AS SELECT 42 AS value');
    process.kill(await postmasterPid(), 'SIGKILL');
    await end(user.process, 'SIGKILL');
    const file = path.join(dataDir, 'postgres/data/postmaster.pid');
    await writeFile(file, (await readFile(file, 'utf8')).replace(/^\d+/, `${process.pid}`));
    const next = await open();
    expect(await query(next.ownerUrl, 'SELECT value FROM kept')).toEqual([{ value: 42 }]);
    await next.release();
  });

  it('refuses a data folder that another container uses, and takes it over afterward', async () => {
    const first = await open();
    const pid = await postmasterPid();
    // Of the other container's process IDs, of which none is visible here.
    await writeFile(path.join(dataDir, 'postgres/namespace'), 'pid:[1]');
    await expect(open()).rejects.toThrow(`Another container uses the database in ${dataDir}.`);
    expect(await postmasterPid()).toBe(pid);
    expect(await query(first.webUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await first.release();
    await (await open()).release();
  });

  it.runIf(isThorough && existsSync('/usr/bin/flock'))(
    'refuses a data folder whose server runs in another container that was killed',
    async () => {
      const user = await startUser();
      const pid = await postmasterPid();
      await end(user.process, 'SIGKILL');
      await writeFile(path.join(dataDir, 'postgres/namespace'), 'pid:[1]');
      await expect(open()).rejects.toThrow(`Another container uses the database in ${dataDir}.`);
      expect(await postmasterPid()).toBe(pid);
      // A fast shutdown.
      process.kill(pid, 'SIGINT');
      const use = () => open().then(({ release }) => release());
      await expect.poll(use).toBeUndefined();
    },
  );

  it.runIf(isThorough)('starts over after initdb was interrupted', async () => {
    const first = await open();
    await query(first.ownerUrl, 'CREATE TABLE kept (value integer)');
    await first.release();
    const home = path.join(dataDir, 'postgres');
    await rename(path.join(home, 'data'), path.join(home, 'init-cut-off'));
    const second = await open();
    expect(await readdir(home)).not.toContain('init-cut-off');
    await expect(query(second.ownerUrl, 'SELECT FROM kept')).rejects.toThrow('does not exist');
    await second.release();
  });

  it.runIf(isThorough)('starts while the clock is set forward', async () => {
    const startedAt = Date.now();
    let hours = 0;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => startedAt + 3_600_000 * hours++);
    const database = await open();
    clock.mockRestore();
    expect(await query(database.webUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await database.release();
  });

  it.runIf(isThorough)('works inside a folder that other users cannot enter', async () => {
    await chmod(path.dirname(dataDir), 0o700);
    const database = await open();
    await query(database.ownerUrl, 'CREATE TABLE kept AS SELECT 42 AS value');
    await database.release();
    const home = await realpath(path.join(dataDir, 'postgres'));
    const again = await open();
    expect(await query(again.ownerUrl, 'SELECT value FROM kept')).toEqual([{ value: 42 }]);
    await again.release();
    await rm(home, { recursive: true });
  });

  it('refuses a data folder without its credentials and starts no server', async () => {
    await (await open()).release();
    const file = path.join(dataDir, 'database.json');
    await rename(file, `${file}.aside`);
    await expect(open()).rejects.toThrow(
      `The database in ${dataDir} has no credentials because database.json is missing.`,
    );
    await expect(postmasterPid()).rejects.toThrow('ENOENT');
    await expect(stat(file)).rejects.toThrow('ENOENT');
    await rename(`${file}.aside`, file);
    await (await open()).release();
  });

  it.each(['', '{"ownerPassword": "a1b2'])('refuses credentials that are not JSON: %j', async (text) => {
    await mkdir(dataDir);
    await writeFile(path.join(dataDir, 'database.json'), text);
    await expect(open()).rejects.toThrow(`The file database.json in ${dataDir} is not valid JSON.`);
  });

  it('refuses credentials of another database and leaves no server running', async () => {
    await (await open()).release();
    const file = path.join(dataDir, 'database.json');
    await writeFile(
      file,
      JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ownerPassword: 'other' }),
    );
    await expect(open()).rejects.toThrow(`database.json in ${dataDir} belongs to another database.`);
    await expect(postmasterPid()).rejects.toThrow('ENOENT');
  });

  it('generates passwords, which only the owner can read, separates the roles, logs neither rows nor statements of failed writes, and stays durable', async () => {
    const database = await open();
    const file = path.join(dataDir, 'database.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { port: _port, ...passwords } = JSON.parse(await readFile(file, 'utf8'));
    expect(new Set(Object.values(passwords)).size).toBe(3);
    for (const password of Object.values(passwords)) expect(password).toMatch(/^[\w-]{32}$/);
    expect((await stat(dataDir)).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
    const roles = await query(database.webUrl, 'SELECT current_user AS me');
    expect(roles).toEqual([{ me: 'scheduling_web' }]);
    await expect(query(database.webUrl, 'CREATE TABLE mine ()')).rejects.toThrow('permission denied');
    const wrong = database.webUrl.replace(/:[^:@]+@/, ':wrong@');
    await expect(query(wrong, 'SELECT 1')).rejects.toThrow('password authentication failed');
    const pets = "CREATE TABLE pets (name text UNIQUE); INSERT INTO pets VALUES ('Rex'), ('Rex')";
    await expect(query(database.ownerUrl, pets)).rejects.toThrow('duplicate key');
    const log = await readFile(path.join(dataDir, 'postgres/data/server.log'), 'utf8');
    expect(log).toContain('duplicate key');
    expect(log).not.toContain('Rex');
    expect(await query(database.ownerUrl, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    await database.release();
  });
});
