import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '#tools/checkout.ts';

const run = promisify(execFile);

export type Block = { language: string; code: string };

/** The fenced code blocks of a Markdown text, in order. */
export function fencedBlocks(markdown: string): (Block & { title: string })[] {
  const blocks = markdown.matchAll(/^```(\w+)(?: title="([^"]*)")?[^\n]*\n(.*?)^```$/gms);
  return [...blocks].map(([, language = '', title = '', code = '']) => ({
    language,
    title,
    code: code.trimEnd(),
  }));
}

/**
 * Runs a code sample as its reader would.
 * @param folder the working directory, with the client installed
 * @returns the output
 */
export async function runSample(
  { language, code }: Block,
  folder: string,
  env: Record<string, string>,
): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, FORCE_COLOR: '0', ...env }, timeout: 20_000 };
  if (language === 'sh') return (await run('bash', ['-euc', code], options)).stdout;
  if (language === 'python') return (await run('python3', ['-c', code], options)).stdout;
  const file = path.join(folder, 'sample.mjs');
  await writeFile(file, code);
  return (await run(process.execPath, [file], options)).stdout;
}

/** Lets npm use the checkout's compiler without network access. */
export const packing = {
  PATH: `${path.join(checkout, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}`,
  npm_config_offline: 'true',
};

/**
 * Copies the client's source, because packing compiles it and parallel tests must not read partial output.
 * @returns the folder of the copy
 */
export async function copyClient(folder: string): Promise<string> {
  const copy = path.join(folder, 'packages', 'client');
  const filter = (file: string) => !file.endsWith('dist');
  await cp(path.join(checkout, 'packages', 'client'), copy, { recursive: true, filter });
  return copy;
}

/** Installs the packed client, so `import … from 'scheduling-service-client'` works in the folder. */
export async function installClient(folder: string): Promise<void> {
  const env = { ...process.env, ...packing };
  await writeFile(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['pack', '--pack-destination', folder], { cwd: await copyClient(folder), env });
  await run('npm', ['install', './scheduling-service-client-1.0.0.tgz'], { cwd: folder, env });
}
