import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import postgres from 'postgres';
import { type Installation, prepareInstallation } from './installation.ts';
import { type FileLock, tryLock, waitForLock } from './lock.ts';
import { createDatabaseFiles, type Durability, startDatabaseServer, stopDatabaseServer } from './process.ts';

export type EmbeddedDatabase = {
  /** Role with all privileges, for migrations. */
  ownerUrl: string;
  /** Role with the privileges that `migrate` grants, for the service. */
  appUrl: string;
  /** Whether this call created the database. */
  isNew: boolean;
  /** Releases the server; the last process to release it stops it. */
  release: () => Promise<void>;
};

type Access = { ownerPassword: string; appPassword: string; port: number };

const OWNER = 'scheduling_owner';
const APP = 'scheduling_app';
const DATABASE = 'scheduling';
const START_WAIT_MS = 5 * 60_000;
const BUSY = 'Another process has been starting or stopping the database for minutes: look whether it hangs.';

/**
 * Opens the PostgreSQL server of the npm package, starting it if necessary. Any number of processes can use it
 * concurrently. Decision: docs/decisions/0002-embedded-database.md.
 * @param dataDir the service's data folder; created if missing
 * @throws Error with a message for the operator
 */
export async function openEmbeddedDatabase(
  dataDir: string,
  durability: Durability = 'durable',
): Promise<EmbeddedDatabase> {
  const folder = path.resolve(dataDir);
  const installation = await prepareInstallation(folder);
  const starting = await waitForLock(
    path.join(installation.home, 'start.lock'),
    'exclusive',
    START_WAIT_MS,
    BUSY,
  );
  try {
    const access = await readOrMakeAccess(folder, installation);
    await createDatabaseFiles(installation, OWNER, access.ownerPassword);
    const port = await startDatabaseServer(installation, durability, access.port);
    if (port !== access.port) await writeAccess(folder, { ...access, port });
    const use = await waitForLock(path.join(installation.home, 'users.lock'), 'shared', START_WAIT_MS, BUSY);
    const isNew = await createDatabase(
      url(OWNER, access.ownerPassword, port, 'postgres'),
      access.appPassword,
    ).catch(async (error: unknown) => {
      await stopIfLast(installation, use);
      throw isWrongPassword(error)
        ? new Error(`The file database.json in ${folder} belongs to another database. Restore the right one.`)
        : error;
    });
    return {
      ownerUrl: url(OWNER, access.ownerPassword, port, DATABASE),
      appUrl: url(APP, access.appPassword, port, DATABASE),
      isNew,
      release: () => releaseServer(installation, use),
    };
  } finally {
    starting.release();
  }
}

async function releaseServer(installation: Installation, use: FileLock): Promise<void> {
  const starting = await waitForLock(
    path.join(installation.home, 'start.lock'),
    'exclusive',
    START_WAIT_MS,
    BUSY,
  );
  try {
    await stopIfLast(installation, use);
  } finally {
    starting.release();
  }
}

/** The caller has the lock for starting and stopping. */
async function stopIfLast(installation: Installation, use: FileLock): Promise<void> {
  use.release();
  const last = tryLock(path.join(installation.home, 'users.lock'), 'exclusive');
  try {
    if (last) await stopDatabaseServer(installation);
  } finally {
    last?.release();
  }
}

function isWrongPassword(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '28P01';
}

/** @throws Error when the passwords of existing data are missing: new ones would not open them */
async function readOrMakeAccess(dataDir: string, { data }: Installation): Promise<Access> {
  const text = await readFile(path.join(dataDir, 'database.json'), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(
      `The database in ${dataDir} belongs to another user: run as that user, or choose another DATA_DIR.`,
    );
  });
  if (text !== undefined) return JSON.parse(text) as Access;
  if (existsSync(data)) {
    throw new Error(
      `The database in ${dataDir} has no credentials: database.json is missing. Restore that file, or choose another DATA_DIR.`,
    );
  }
  const password = () => randomBytes(24).toString('base64url');
  const access = { ownerPassword: password(), appPassword: password(), port: 0 };
  await writeAccess(dataDir, access);
  return access;
}

async function writeAccess(dataDir: string, access: Access): Promise<void> {
  const file = path.join(dataDir, 'database.json');
  await writeFile(`${file}.new`, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}

function url(role: string, password: string, port: number, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;
}

/** Creates the application's role and the database if missing. @returns whether it created the database */
async function createDatabase(ownerUrl: string, appPassword: string): Promise<boolean> {
  const sql = postgres(ownerUrl, { max: 1, onnotice: () => {} });
  try {
    const [found] = await sql<{ role: boolean; database: boolean }[]>`
      SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = ${APP}) AS role,
             EXISTS (SELECT FROM pg_database WHERE datname = ${DATABASE}) AS database`;
    if (!found?.role) await sql.unsafe(`CREATE ROLE ${APP} LOGIN PASSWORD '${appPassword}'`);
    if (!found?.database) await sql.unsafe(`CREATE DATABASE ${DATABASE}`);
    return !found?.database;
  } finally {
    await sql.end();
  }
}
