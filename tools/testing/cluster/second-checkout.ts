import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkout } from '#tools/checkout.ts';

/**
 * Copies this checkout into the system's temporary folder, without the build. The folder stays there, so that its own build
 * is up to date in the next run.
 * @returns the folder
 */
export async function secondCheckout(name: string): Promise<string> {
  const id = createHash('sha256').update(checkout).digest('hex').slice(0, 12);
  const folder = path.join(tmpdir(), `scheduling-service-checkout-${name}-${process.getuid?.()}-${id}`);
  await mkdir(folder, { recursive: true });
  for (const entry of await readdir(folder)) {
    if (entry !== '.next') await rm(path.join(folder, entry), { recursive: true });
  }
  const git = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const files = execFileSync('git', git, { cwd: checkout, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const file of files) await cp(path.join(checkout, file), path.join(folder, file));
  // Links are enough, but not possible between file systems.
  const copy = (option: string) =>
    spawnSync('cp', [option, 'node_modules', folder], { cwd: checkout }).status;
  if (copy('-al') !== 0 && copy('-a') !== 0) throw new Error('node_modules could not be copied.');
  await rm(path.join(folder, 'node_modules', '.build.lock'), { force: true });
  return folder;
}
