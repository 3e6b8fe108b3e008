// Runs before the npm scripts that need packages: installs the packages of the lock file unless they are installed.
// Plain JavaScript, because the machine's Node.js may not run TypeScript.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** @type {NodeJS.Signals[]} */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const thisFile = fileURLToPath(import.meta.url);

/**
 * @param {string} checkout
 * @returns {boolean} whether `node_modules` matches the lock file, according to the list that npm writes there last
 */
export function isInstalled(checkout) {
  const installed = packagesOf(path.join(checkout, 'node_modules', '.package-lock.json'));
  if (!installed) return false;
  const locked = packagesOf(path.join(checkout, 'package-lock.json')) ?? {};
  // Packages for other platforms are in the lock file, but are not installed.
  const isHere = Object.entries(installed).every(
    ([at, found]) => isSame(locked[at], found) && isForHere(found),
  );
  const missing = Object.entries(locked).filter(([at]) => at !== '' && !(at in installed));
  return isHere && missing.every(([, found]) => found.optional || found.devOptional || found.peer);
}

/** @param {string} file @returns {Record<string, any> | undefined} undefined also for half a file, of an npm that was killed */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** @param {any} one @param {any} other */
function isSame(one, other) {
  return one?.version === other.version && one?.integrity === other.integrity;
}

/** @param {any} found */
function isForHere(found) {
  return (
    (found.os ?? [process.platform]).includes(process.platform) &&
    (found.cpu ?? [process.arch]).includes(process.arch)
  );
}

/** @param {string} checkout @param {Record<string, string | undefined>} env */
export async function install(checkout, env) {
  const startedAt = performance.now();
  if (process.stderr.isTTY) process.stderr.write('  Installing packages…');
  // With devDependencies, which the build needs, even if NODE_ENV is production.
  const flags = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error', '--progress=false'];
  // Not with the Node.js in node_modules, which npm replaces.
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => !folder.includes('node_modules'));
  const { code, output } = await run('npm', flags, {
    cwd: checkout,
    env: { ...env, PATH: folders.join(path.delimiter) },
  });
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  if (code !== 0) {
    process.stderr.write(`${output}\n`);
    process.stderr.write('✗ The packages could not be installed. The output of npm is above.\n');
    return false;
  }
  process.stderr.write(`✓ Packages installed (${((performance.now() - startedAt) / 1000).toFixed(1)} s)\n`);
  return true;
}

/**
 * Runs a program in a process group of its own. A signal that ends this process also kills the group, at once, because an
 * installation that was interrupted starts over the next time.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string, env: Record<string, string | undefined> }} options
 */
async function run(program, args, options) {
  /** @param {NodeJS.Signals} signal */
  const end = (signal) => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has just ended by itself.
    }
    process.kill(process.pid, signal);
  };
  // Before the program starts, because a signal that nobody handles would leave it running.
  for (const signal of signals) process.once(signal, end);
  const child = spawn(program, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  child.on('error', (error) => (output += error));
  const code = await new Promise((resolve) => child.once('close', resolve));
  for (const signal of signals) process.off(signal, end);
  return { code, output };
}

const isProgram = process.argv[1] !== undefined && path.resolve(process.argv[1]) === thisFile;
const checkout = path.join(path.dirname(thisFile), '..');
if (isProgram && !isInstalled(checkout) && !(await install(checkout, process.env))) process.exitCode = 1;
