import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { install, isInstalled } from './install.mjs';

let checkout = '';
let env: Record<string, string> = {};

beforeEach(async () => {
  checkout = path.join(await mkdtemp(path.join(tmpdir(), 'install ')), 'a checkout');
  await mkdir(path.join(checkout, 'programs'), { recursive: true });
  await writeFile(path.join(checkout, 'package-lock.json'), '{}');
  // An npm that makes the folder, and writes down how it was called.
  await placeNpm('mkdir -p node_modules; echo "$@" > called');
  env = {
    PATH: `${path.join(checkout, 'node_modules', '.bin')}:${path.join(checkout, 'programs')}:/usr/bin:/bin`,
  };
});

afterEach(() => rm(path.dirname(checkout), { recursive: true }));

async function placeNpm(script: string): Promise<void> {
  await writeFile(path.join(checkout, 'programs', 'npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

it('installs once, development packages too, and again when the lock file changes', async () => {
  expect(isInstalled(checkout)).toBe(false);
  expect(install(checkout, env)).toBe(true);
  expect(await readFile(path.join(checkout, 'called'), 'utf8')).toContain('ci --include=dev');
  expect(isInstalled(checkout)).toBe(true);
  await writeFile(path.join(checkout, 'package-lock.json'), '{"changed":true}');
  expect(isInstalled(checkout)).toBe(false);
});

it('does not count as installed when npm failed, or when the folder is gone', async () => {
  await placeNpm('mkdir -p node_modules; exit 1');
  expect(install(checkout, env)).toBe(false);
  expect(isInstalled(checkout)).toBe(false);
  await placeNpm('mkdir -p node_modules');
  expect(install(checkout, env)).toBe(true);
  await rm(path.join(checkout, 'node_modules'), { recursive: true });
  expect(isInstalled(checkout)).toBe(false);
});

it('does not run npm with the Node that it removes', async () => {
  await placeNpm('mkdir -p node_modules; echo "$PATH" > called');
  install(checkout, env);
  expect(await readFile(path.join(checkout, 'called'), 'utf8')).not.toContain('node_modules');
});
