import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import postgres from 'postgres';
import { writePrivateFile } from '#src/installation-secrets.ts';
import { isWrongPassword } from '../errors.ts';
import { roleNames } from '../migrate.ts';
import { type Installation, prepareInstallation } from './installation.ts';
import { type FileLock, tryLock, waitForLock } from './lock.ts';
import {
  createDatabaseFiles,
  type Durability,
  isServed,
  startDatabaseServer,
  stopDatabaseServer,
} from './process.ts';

export type EmbeddedDatabase = {
  /** Of the role that owns everything, for migrations. */
  ownerUrl: string;
  /** Of the roles to which `migrate` grants privileges, for the service and for commands. */
  webUrl: string;
  operatorUrl: string;
  /** Releases the server; the last process to release it stops it. */
  release: () => Promise<void>;
};

type Access = { ownerPassword: string; webPassword: string; operatorPassword: string; port: number };

const OWNER = 'scheduling_owner';
const DATABASE = 'scheduling';
const START_WAIT_MS = 5 * 60_000;
const BUSY =
  'Another process has been starting or stopping the database for several minutes. Check whether it is stuck.';

/**
 * Opens the PostgreSQL server of the npm package, starting it if necessary. Any number of processes can use it
 * concurrently. Decision: docs/decisions/0002-embedded-database.md.
 * @param dataDir the service's data folder; created if missing
 * @param whileStarting other work for the time in which the server starts; left out if it runs
 * @param signal ends the wait for another process that starts or stops the server
 * @throws Error with a message for the operator
 */
export async function openEmbeddedDatabase(
  dataDir: string,
  durability: Durability = 'durable',
  whileStarting?: () => Promise<unknown>,
  signal?: AbortSignal,
): Promise<EmbeddedDatabase> {
  const folder = path.resolve(dataDir);
  const installation = await prepareInstallation(folder);
  const starting = await lockStart(installation, signal);
  try {
    await refuseOtherContainer(folder, installation);
    const access = await readOrMakeAccess(folder, installation);
    await createDatabaseFiles(installation, OWNER, access.ownerPassword);
    const port = await startDatabaseServer(installation, durability, access.port, whileStarting);
    if (port !== access.port) await writeAccess(folder, { ...access, port });
    const use = await waitForLock(path.join(installation.home, 'users.lock'), 'shared', START_WAIT_MS, BUSY);
    const ownerUrl = url(OWNER, access.ownerPassword, port, 'postgres');
    await createDatabase(ownerUrl, access).catch(async (error: unknown) => {
      await stopIfLast(installation, use);
      throw isWrongPassword(error)
        ? new Error(`The file database.json in ${folder} belongs to another database. Restore the right one.`)
        : error;
    });
    return {
      ownerUrl: url(OWNER, access.ownerPassword, port, DATABASE),
      webUrl: url(roleNames.web, access.webPassword, port, DATABASE),
      operatorUrl: url(roleNames.operator, access.operatorPassword, port, DATABASE),
      release: () => releaseServer(installation, use),
    };
  } finally {
    starting.release();
  }
}

/** Held while the server starts or stops. */
function lockStart({ home }: Installation, signal?: AbortSignal): Promise<FileLock> {
  return waitForLock(path.join(home, 'start.lock'), 'exclusive', START_WAIT_MS, BUSY, signal);
}

/**
 * Two servers on the same files would destroy them, and a container does not see the processes of another one.
 * @throws Error while a process or the server of another container uses the database
 */
async function refuseOtherContainer(dataDir: string, installation: Installation): Promise<void> {
  const { home } = installation;
  const file = path.join(home, 'namespace');
  // Of process IDs. Only Linux has them.
  const own = await readlink('/proc/self/ns/pid').catch(() => '');
  if ((await readFile(file, 'utf8').catch(() => undefined)) === own) return;
  const unused = tryLock(path.join(home, 'users.lock'), 'exclusive');
  unused?.release();
  // A server runs on after its process was killed.
  if (!unused || isServed(installation))
    throw new Error(
      `Another container uses the database in ${dataDir}. Stop it, run commands in it, or choose another DATA_DIR.`,
    );
  await writeFile(file, own);
}

async function releaseServer(installation: Installation, use: FileLock): Promise<void> {
  const starting = await lockStart(installation);
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

/** @throws Error when the passwords of existing data are missing or damaged: new ones would not open them */
async function readOrMakeAccess(dataDir: string, { data }: Installation): Promise<Access> {
  const text = await readFile(path.join(dataDir, 'database.json'), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(
      `The database in ${dataDir} belongs to another user. Run as that user, or choose another DATA_DIR.`,
    );
  });
  if (text === undefined && existsSync(data)) {
    throw new Error(
      `The database in ${dataDir} has no credentials because database.json is missing. Restore that file, or choose another DATA_DIR.`,
    );
  }
  const password = () => randomBytes(24).toString('base64url');
  const fresh = { ownerPassword: password(), webPassword: password(), operatorPassword: password(), port: 0 };
  const known: Partial<Access> = text === undefined ? {} : parseAccess(text, dataDir);
  const access = { ...fresh, ...known };
  if (Object.keys(fresh).some((name) => !(name in known))) await writeAccess(dataDir, access);
  return access;
}

function parseAccess(text: string, dataDir: string): Partial<Access> {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(
      `The file database.json in ${dataDir} is not valid JSON. Restore it, or choose another DATA_DIR.`,
    );
  }
}

async function writeAccess(dataDir: string, access: Access): Promise<void> {
  await writePrivateFile(path.join(dataDir, 'database.json'), `${JSON.stringify(access, null, 2)}\n`);
}

function url(role: string, password: string, port: number, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;
}

/** Creates the roles and the database if missing. */
async function createDatabase(ownerUrl: string, access: Access): Promise<void> {
  const sql = postgres(ownerUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  const passwords = [
    [roleNames.web, access.webPassword],
    [roleNames.operator, access.operatorPassword],
  ] as const;
  try {
    for (const [role, password] of passwords) {
      const [found] = await sql`SELECT FROM pg_roles WHERE rolname = ${role}`;
      if (!found) await sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
    }
    const [found] = await sql`SELECT FROM pg_database WHERE datname = ${DATABASE}`;
    if (!found) await sql.unsafe(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await sql.end({ timeout: 0 });
  }
}
