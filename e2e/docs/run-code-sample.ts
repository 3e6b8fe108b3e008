import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { clientPackage } from '#src/client-package.ts';

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
  shell = 'sh',
): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, FORCE_COLOR: '0', ...env }, timeout: 60_000 };
  if (language === 'sh') return (await run(shell, ['-euc', code], options)).stdout;
  if (language === 'python') return (await run('python3', ['-c', code], options)).stdout;
  const file = path.join(folder, 'sample.mjs');
  await writeFile(file, code);
  return (await run(process.execPath, [file], options)).stdout;
}

/** Installs the client as its guide says, from the running service. */
export async function installClient(folder: string, baseUrl: string): Promise<void> {
  await writeFile(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const options = ['--no-audit', '--no-fund', '--cache', path.join(folder, '.npm')];
  await run('npm', ['install', `${baseUrl}/client/${clientPackage}`, ...options], { cwd: folder });
}
