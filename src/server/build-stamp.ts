import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** What a build never reads. Everything else counts, so that a new folder is not forgotten. */
const NOT_BUILT = new Set([
  'docs',
  'drizzle',
  'e2e',
  'node_modules',
  'packages',
  'playwright-report',
  'test-results',
  'tools',
  // The build writes into these itself; the compiler's options change nothing in what it makes.
  'tsconfig.json',
  'next-env.d.ts',
  'package.json',
]);
const NOT_SOURCE = /^\.|\.(md|test\.tsx?|tsbuildinfo|log)$/;

/**
 * A hash over the content of all files that a build is made from. By content, so that a fresh clone or a branch
 * switched there and back builds nothing anew.
 * @param checkout the project's folder
 */
export async function sourcesStamp(checkout: string): Promise<string> {
  const files = (await readdir(checkout, { withFileTypes: true })).filter(
    (entry) => !NOT_BUILT.has(entry.name),
  );
  const hash = createHash('sha256');
  for (const file of await filesBelow(checkout, files)) {
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
