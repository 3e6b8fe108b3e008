import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Paths that a build does not read. Everything else counts, so that a new folder is included. What the tools write must not:
 * a build replaces the files of a service that runs in the same folder.
 */
const NOT_BUILT = new Set([
  'blob-report',
  'deploy',
  'docs',
  'drizzle',
  'e2e',
  'gallery',
  'node_modules',
  'packages',
  'playwright-report',
  'reports',
  'test-results',
  'tools',
  // The build writes these files itself, and the compiler options do not affect its output.
  'tsconfig.json',
  'next-env.d.ts',
  'package.json',
]);
const NOT_SOURCE = /^\.|^dist$|\.(md|test\.tsx?|tsbuildinfo|log)$/;
/** Others in the root folder are what operators keep there, such as backups and files to import. */
const ROOT_SOURCE = /\.(ts|mjs)$|^package-lock\.json$/;

/**
 * A hash of the content of every source file of the build. By content and not by time, so that a fresh clone or
 * switching branches back and forth needs no rebuild.
 * @param checkout the root folder of the repository
 */
export async function sourcesStamp(checkout: string): Promise<string> {
  const files = (await readdir(checkout, { withFileTypes: true })).filter(
    (entry) => !NOT_BUILT.has(entry.name) && (entry.isDirectory() || ROOT_SOURCE.test(entry.name)),
  );
  const hash = createHash('sha256');
  const client = path.join(checkout, 'packages', 'client');
  const clientFiles = await readdir(client, { withFileTypes: true }).catch(() => []);
  for (const file of [...(await filesBelow(checkout, files)), ...(await filesBelow(client, clientFiles))]) {
    hash.update(`${path.relative(checkout, file)}\n`).update(await readFile(file));
  }
  return hash.digest('hex');
}

type Entry = { name: string; isDirectory(): boolean; isFile(): boolean };

async function filesBelow(folder: string, entries: Entry[]): Promise<string[]> {
  const sources = entries.filter((entry) => !NOT_SOURCE.test(entry.name));
  const lists = await Promise.all(
    sources.map(async (entry) => {
      const file = path.join(folder, entry.name);
      if (entry.isFile()) return [file];
      return entry.isDirectory() ? await filesBelow(file, await readdir(file, { withFileTypes: true })) : [];
    }),
  );
  return lists.flat().sort();
}
