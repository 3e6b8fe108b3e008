// Runs before npm start, test, dev and operator, with whatever Node there is: installs what the lock file names, unless
// just that is installed. In plain JavaScript, as nothing is there yet that could run anything else.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const thisFile = fileURLToPath(import.meta.url);

/** @param {string} checkout @returns {boolean} whether `node_modules` is what the lock file says */
export function isInstalled(checkout) {
  const stampFile = path.join(checkout, 'node_modules', '.installed');
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stampOf(checkout);
}

/** @param {string} checkout @param {Record<string, string | undefined>} env */
export function install(checkout, env) {
  const startedAt = performance.now();
  if (process.stderr.isTTY) process.stderr.write('  Installing packages…');
  // Everything: the build needs what package.json lists for development, whatever NODE_ENV says.
  const flags = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error', '--progress=false'];
  // Not with the Node in node_modules: it is about to be removed.
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => !folder.includes('node_modules'));
  const npm = spawnSync('npm', flags, {
    cwd: checkout,
    env: { ...env, PATH: folders.join(path.delimiter) },
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  if (npm.status !== 0) {
    process.stderr.write(`${npm.stdout ?? ''}${npm.stderr ?? ''}${npm.error ?? ''}\n`);
    process.stderr.write('✗ The packages could not be installed; above is what npm says.\n');
    return false;
  }
  writeFileSync(path.join(checkout, 'node_modules', '.installed'), stampOf(checkout));
  process.stderr.write(`✓ Packages installed (${((performance.now() - startedAt) / 1000).toFixed(1)} s)\n`);
  return true;
}

/** @param {string} checkout */
function stampOf(checkout) {
  // Packages with programs in them differ from machine to machine: a folder that was copied over has the wrong ones.
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  return hash.update(readFileSync(path.join(checkout, 'package-lock.json'))).digest('hex');
}

const isProgram = process.argv[1] !== undefined && path.resolve(process.argv[1]) === thisFile;
const checkout = path.join(path.dirname(thisFile), '..');
if (isProgram && !isInstalled(checkout) && !install(checkout, process.env)) process.exitCode = 1;
