/**
 * Installs the client from the running service, and calls all operations in the runtimes that integrators use. Only in the
 * full run, because it installs the runtimes.
 */
import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { clientPackage } from '#src/client-package.ts';
import { temporaryFolder } from '#tools/testing/processes.ts';
import { expect, newEntry, test } from '../support/fixtures.ts';

const packages = [
  ...['node20@npm:node@20.20.2', 'node22@npm:node@22.23.3', 'node24@npm:node@24.21.0'],
  ...['deno@2.9.6', 'bun@1.4.5', 'miniflare@4.20260730.0', 'jest@30.5.2'],
  ...['@nestjs/common@12.5.1', '@nestjs/core@12.5.1', 'reflect-metadata@0.2.2', 'rxjs@7.8.2'],
  // Writes the metadata of decorators.
  ...['typescript@5.9.3', '@types/node@26.6.6'],
];
const execute = promisify(execFile);

if (process.env.FULL) {
  test.describe.configure({ mode: 'serial' });

  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const run = async (program: string, parameters: string[], env: Record<string, string> = {}) =>
    (await execute(program, parameters, { cwd: folder.path, env: { ...process.env, ...env } })).stdout;
  const installed = (...segments: string[]) => path.join(folder.path, 'node_modules', ...segments);

  test.beforeAll(async ({ baseURL }) => {
    test.setTimeout(300_000);
    folder = await temporaryFolder('client-runtimes');
    await cp(path.join(import.meta.dirname, 'client-runtimes'), folder.path, { recursive: true });
    // Of these, the installation places the program.
    const manifest = {
      private: true,
      allowScripts: { bun: true, deno: true, node20: true, node22: true, node24: true },
    };
    await writeFile(path.join(folder.path, 'package.json'), JSON.stringify(manifest));
    const client = `${baseURL}/client/${clientPackage}`;
    await run('npm', ['install', '--no-audit', '--no-fund', client, ...packages]);
    const bundles = { bundle: true, absWorkingDir: folder.path, outdir: 'bundles' } as const;
    await build({
      ...{ ...bundles, entryPoints: ['worker.mjs'], format: 'esm' },
      outExtension: { '.js': '.mjs' },
    });
    await build({
      ...{ ...bundles, entryPoints: ['call-all.mjs'], format: 'cjs', packages: 'external' },
      outExtension: { '.js': '.cjs' },
    });
    const decorators = ['--experimentalDecorators', '--emitDecoratorMetadata', '--skipLibCheck'];
    const modules = ['--module', 'commonjs', '--moduleResolution', 'node10', '--target', 'es2022'];
    const compiler = installed('typescript', 'bin', 'tsc');
    await run(process.execPath, [compiler, '--strict', ...decorators, ...modules, 'nest.cts']);
  });
  test.afterAll(() => folder.remove());

  const runtimes: [string, () => [string, ...string[]]][] = [
    ...['20', '22', '24'].flatMap((version): [string, () => [string, ...string[]]][] => {
      const program = () => installed(`node${version}`, 'bin', 'node');
      return [
        [`Node.js ${version}`, () => [program(), 'main.mjs']],
        [`Node.js ${version} as CommonJS`, () => [program(), 'main.cjs']],
      ];
    }),
    [
      'Deno',
      () => [installed('.bin', 'deno'), 'run', '--allow-net', '--allow-env', '--allow-read', 'main.mjs'],
    ],
    ['Bun', () => [installed('.bin', 'bun'), 'main.mjs']],
    ['Workers', () => [process.execPath, 'miniflare.mjs']],
    ['Jest', () => [installed('.bin', 'jest'), '--testMatch', '**/jest.cjs']],
    ['Nest', () => [process.execPath, 'nest.cjs']],
  ];
  for (const [name, commandOf] of runtimes) {
    test(`client: calls all operations in ${name}`, async ({ baseURL, customer, db }) => {
      test.setTimeout(120_000);
      await newEntry(db, customer, { amountCents: 128450n, reference: 'INV-1' });
      const { apiKey: API_KEY, apiSecret: API_SECRET, username } = customer;
      const [program, ...parameters] = commandOf();
      const printed = await run(program, parameters, { BASE_URL: baseURL ?? '', API_KEY, API_SECRET });
      expect(JSON.parse(printed)).toEqual([username, 128450, '4242', true]);
    });
  }
}
