import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { waitForLock } from '#db/embedded/lock.ts';
import { sourcesStamp } from './build-stamp.ts';
import { StartError } from './cli-output.ts';
import { compressStaticFiles, markMainScripts } from './static-files.ts';

const run = promisify(execFile);

const LOCK_WAIT_MS = 10 * 60_000;
const BUSY = 'Another process has been building for ten minutes. Check whether it is stuck.';

/** @returns whether `.next` was built from the current sources */
export async function isBuilt(checkout: string): Promise<boolean> {
  const built = path.join(checkout, '.next');
  const read = (name: string) => readFile(path.join(built, name), 'utf8').catch(() => undefined);
  const [id, stamp] = await Promise.all([read('BUILD_ID'), read('sources-stamp')]);
  return id !== undefined && stamp !== undefined && stamp === (await sourcesStamp(checkout));
}

/**
 * Makes the production build unless it is up to date. Processes that start at the same time share one build.
 * @param signal aborts the build
 * @throws StartError with the output of the build
 */
export async function buildIfNeeded(checkout: string, signal: AbortSignal): Promise<void> {
  if (await isBuilt(checkout)) return;
  const lockFile = path.join(checkout, 'node_modules', '.build.lock');
  const lock = await waitForLock(lockFile, 'exclusive', LOCK_WAIT_MS, BUSY, signal);
  try {
    if (await isBuilt(checkout)) return;
    const built = path.join(checkout, '.next');
    const stampFile = path.join(built, 'sources-stamp');
    await mkdir(built, { recursive: true });
    await rm(stampFile, { force: true });
    // Taken before the build, so that a file changed during it causes another build at the next start.
    const stamp = await sourcesStamp(checkout);
    await runBuild(checkout, signal);
    await markMainScripts(built);
    await compressStaticFiles(built);
    await packClient(checkout, built, signal);
    await writeFile(stampFile, stamp);
  } finally {
    lock.release();
  }
}

async function runBuild(checkout: string, signal: AbortSignal): Promise<void> {
  const next = path.join(checkout, 'node_modules', 'next', 'dist', 'bin', 'next');
  const env = { ...process.env, NODE_ENV: 'production' as const, NEXT_TELEMETRY_DISABLED: '1' };
  const child = spawn(process.execPath, [next, 'build'], {
    cwd: checkout,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (code !== 0) throw new StartError(`The build failed:\n\n${output.trim()}`);
}

/**
 * Compiles the client as ES modules and as CommonJS, and makes the npm package of it that the service serves.
 * @param folder gets the package
 */
export async function packClient(checkout: string, folder: string, signal?: AbortSignal): Promise<void> {
  const source = path.join(checkout, 'packages', 'client');
  const packed = path.join(folder, 'client-package');
  const [esm, cjs] = [path.join(packed, 'dist', 'esm'), path.join(packed, 'dist', 'cjs')];
  await rm(packed, { recursive: true, force: true });
  const compiler = path.join(checkout, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(process.execPath, [compiler, '-p', source, '--outDir', esm], { signal });
  // Declarations are the same for both; the nearest package.json says which kind of module they describe.
  await cp(esm, cjs, { recursive: true, filter: (file) => !file.endsWith('.js') });
  await writeFile(path.join(cjs, 'package.json'), '{"type":"commonjs"}\n');
  const format = { format: 'cjs', platform: 'neutral', target: 'es2022' } as const;
  await build({
    entryPoints: [path.join(source, 'index.ts')],
    bundle: true,
    outfile: path.join(cjs, 'index.js'),
    ...format,
  });
  for (const file of ['package.json', 'README.md'])
    await cp(path.join(source, file), path.join(packed, file));
  await cp(path.join(checkout, 'LICENSE'), path.join(packed, 'LICENSE'));
  await mkdir(folder, { recursive: true });
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: packed, signal });
  await rm(packed, { recursive: true });
}
