import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const checkout = path.join(import.meta.dirname, '..', '..');

export type Block = { language: string; code: string };

/** The fenced blocks of a Markdown text, in their order. */
export function fencedBlocks(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    language,
    code: code.trimEnd(),
  }));
}

/**
 * Runs lines as their reader would.
 * @param folder to run in; the client is installed there
 * @returns what they print
 */
export async function runLines(
  { language, code }: Block,
  folder: string,
  env: Record<string, string>,
): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, FORCE_COLOR: '0', ...env }, timeout: 20_000 };
  if (language === 'sh') return (await run('bash', ['-euc', code], options)).stdout;
  if (language === 'python') return (await run('python3', ['-c', code], options)).stdout;
  const file = path.join(folder, 'lines.mjs');
  await writeFile(file, code);
  return (await run(process.execPath, [file], options)).stdout;
}

/** Makes `import … from 'scheduling-service-client'` find the packed client. */
export async function installClient(folder: string): Promise<void> {
  const programs = path.join(checkout, 'node_modules', '.bin');
  const env = { ...process.env, PATH: `${programs}${path.delimiter}${process.env.PATH}` };
  const offline = ['--offline', '--no-audit', '--no-fund'];
  await writeFile(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
  // From a copy: packing compiles, and tests that run beside this one must not see half of it.
  const copy = path.join(folder, 'client');
  await cp(path.join(checkout, 'client'), copy, {
    recursive: true,
    filter: (file) => !file.endsWith('dist'),
  });
  await run('npm', ['pack', '--pack-destination', folder], { cwd: copy, env });
  await run('npm', ['install', ...offline, './scheduling-service-client-1.0.0.tgz'], { cwd: folder, env });
}
