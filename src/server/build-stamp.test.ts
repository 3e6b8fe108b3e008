import { cp, mkdir, mkdtemp, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isBuilt } from './build.ts';
import { sourcesStamp } from './build-stamp.ts';

let checkout = '';
const write = async (file: string, text = 'x') => {
  await mkdir(path.dirname(path.join(checkout, file)), { recursive: true });
  await writeFile(path.join(checkout, file), text);
};

beforeEach(async () => {
  checkout = await mkdtemp(path.join(tmpdir(), 'stamp '));
  await Promise.all(
    ['app/page.tsx', 'src/settings.ts', 'package-lock.json', 'tools/build.ts'].map((file) => write(file)),
  );
});
afterEach(() => rm(checkout, { recursive: true }));

it.each([
  'app/page.tsx',
  'src/settings.ts',
  'package-lock.json',
  'app/new.tsx',
  'a-new-folder/part.ts',
  'public/logo.svg',
  'next.config.mjs',
  'proxy.ts',
])('changes with %s', async (file) => {
  const before = await sourcesStamp(checkout);
  await write(file, 'changed');
  expect(await sourcesStamp(checkout)).not.toBe(before);
});

it.each([
  'tools/build.ts',
  'README.md',
  'app/page.test.tsx',
  '.next/BUILD_ID',
  '.data/x',
  'node_modules/a/b.js',
  'docs/x',
  'backup-2026-11-22.sql.gz',
  'charges.csv',
  'city.json',
  'service.log.1',
])('does not change with %s', async (file) => {
  const before = await sourcesStamp(checkout);
  await write(file, 'changed');
  expect(await sourcesStamp(checkout)).toBe(before);
});

it('does not change with what git ignores', async () => {
  const before = await sourcesStamp(checkout);
  const ignored = await readFile(path.join(import.meta.dirname, '..', '..', '.gitignore'), 'utf8');
  const folders = ignored.split('\n').filter((line) => line.endsWith('/'));
  expect(folders).toContain('/gallery/');
  for (const folder of folders) await write(`${folder}new.ts`);
  expect(await sourcesStamp(checkout)).toBe(before);
});

it('build stamp: changes when a file moves, not with timestamps or the folder of the checkout', async () => {
  const before = await sourcesStamp(checkout);
  await utimes(path.join(checkout, 'src/settings.ts'), new Date(0), new Date(0));
  const copy = `${checkout} copy`;
  await cp(checkout, copy, { recursive: true });
  expect(await sourcesStamp(copy)).toBe(before);
  await rm(copy, { recursive: true });
  await rename(path.join(checkout, 'app/page.tsx'), path.join(checkout, 'app/other.tsx'));
  expect(await sourcesStamp(checkout)).not.toBe(before);
});

it('build stamp: counts only a completed build of the same sources', async () => {
  expect(await isBuilt(checkout)).toBe(false);
  await write('.next/BUILD_ID');
  expect(await isBuilt(checkout)).toBe(false);
  await write('.next/sources-stamp', await sourcesStamp(checkout));
  expect(await isBuilt(checkout)).toBe(true);
  await write('app/page.tsx', 'changed');
  expect(await isBuilt(checkout)).toBe(false);
});
