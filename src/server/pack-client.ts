/** The client as an npm package, which the service serves from its own build. */
import { execFile } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const run = promisify(execFile);

/**
 * Compiles the client as ES modules and as CommonJS, and packs it.
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
