import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { install, isInstalled } from './install.mjs';
import { isRunning, startProgram } from './testing/processes.ts';

let checkout = '';
let env: Record<string, string> = {};

const lockFile = (packages: object) => JSON.stringify({ packages: { '': {}, ...packages } });
const parts = {
  'node_modules/part': { version: '1.0.0', integrity: 'a' },
  'node_modules/elsewhere': { version: '1.0.0', integrity: 'b', os: ['plan9'], optional: true },
};

beforeEach(async () => {
  checkout = path.join(await mkdtemp(path.join(tmpdir(), 'install ')), 'a checkout');
  await mkdir(path.join(checkout, 'programs'), { recursive: true });
  await writeFile(path.join(checkout, 'package-lock.json'), lockFile(parts));
  await writeNpm('echo "$@" > called; mkdir -p node_modules; cp written node_modules/.package-lock.json');
  await writeInstalled({ 'node_modules/part': parts['node_modules/part'] });
  env = {
    PATH: `${path.join(checkout, 'node_modules', '.bin')}:${path.join(checkout, 'programs')}:/usr/bin:/bin`,
  };
});

afterEach(() => rm(path.dirname(checkout), { recursive: true }));

async function writeNpm(script: string): Promise<void> {
  await writeFile(path.join(checkout, 'programs', 'npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** The packages that the fake npm installs. */
async function writeInstalled(packages: object): Promise<void> {
  await writeFile(path.join(checkout, 'written'), JSON.stringify({ packages }));
}

it('install: runs npm ci once with development packages, and again when the lock file changes', async () => {
  expect(isInstalled(checkout)).toBe(false);
  expect(await install(checkout, env)).toBe(true);
  expect(await readFile(path.join(checkout, 'called'), 'utf8')).toContain('ci --include=dev');
  expect(isInstalled(checkout)).toBe(true);
  const changed = { ...parts, 'node_modules/part': { version: '1.0.1', integrity: 'c' } };
  await writeFile(path.join(checkout, 'package-lock.json'), lockFile(changed));
  expect(isInstalled(checkout)).toBe(false);
});

it.each([
  ['a package is missing', {}],
  ['there is an extra package', { ...parts, 'node_modules/other': { version: '1.0.0' } }],
  ['the folder was copied from another machine', parts],
])('does not count as installed when %s', async (_case, packages) => {
  await writeInstalled(packages);
  await install(checkout, env);
  expect(isInstalled(checkout)).toBe(false);
});

it('does not count as installed when npm was killed while it wrote the list of packages', async () => {
  await install(checkout, env);
  await writeFile(path.join(checkout, 'node_modules', '.package-lock.json'), '{"packages": {"node_mod');
  expect(isInstalled(checkout)).toBe(false);
});

it('install: retries after npm failed', async () => {
  await writeNpm('mkdir -p node_modules; exit 1');
  expect(await install(checkout, env)).toBe(false);
  expect(isInstalled(checkout)).toBe(false);
});

it('install: does not run npm with the Node.js that it replaces', async () => {
  await writeNpm('mkdir -p node_modules; echo "$PATH" > called');
  await install(checkout, env);
  expect(await readFile(path.join(checkout, 'called'), 'utf8')).not.toContain('node_modules');
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  'install: %s ends npm and the programs that it runs',
  async (signal) => {
    await writeNpm('trap "" INT TERM; sleep 60 & echo $! > id; mv id started; wait');
    const file = path.join(checkout, 'tools', 'install.mjs');
    await mkdir(path.dirname(file));
    await copyFile(path.join(import.meta.dirname, 'install.mjs'), file);
    const program = startProgram([file], { ...process.env, ...env }, checkout);
    const started = () => readFile(path.join(checkout, 'started'), 'utf8').catch(() => undefined);
    await expect.poll(started).toBeDefined();
    program.kill(signal);
    expect(await program.exited).toBeNull();
    const id = Number(await started());
    await expect.poll(() => isRunning(id), { timeout: 15_000 }).toBe(false);
  },
);

it('needs what the README says, which the lock file and its oldest npm agree with', async () => {
  const read = (file: string) => readFile(path.join(import.meta.dirname, '..', file), 'utf8');
  const { engines } = JSON.parse(await read('package.json'));
  const { lockfileVersion, packages } = JSON.parse(await read('package-lock.json'));
  const [, node, npm] =
    /need only Node\.js (\d+) or later and npm (\d+) or later/.exec(await read('README.md')) ?? [];
  expect(engines).toEqual({ node: `>=${node}`, npm: `>=${npm}` });
  expect(packages[''].engines).toEqual(engines);
  // Node 20 and 22 come with npm 10, which reads version 3.
  expect([npm, lockfileVersion]).toEqual(['10', 3]);
});
