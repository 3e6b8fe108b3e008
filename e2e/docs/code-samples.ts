/** Runs code samples and quickstarts as their readers would. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { clientPackage } from '#src/client-package.ts';
import { quickstarts } from '#src/docs/quickstarts.ts';
import { startServer } from '../support/http.ts';

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

type Title = (typeof quickstarts)[number]['title'];

/** Programs that each one needs besides Node.js. */
const programs: Record<Title, string[]> = {
  curl: ['sh', 'curl', 'jq'],
  JavaScript: [],
  'TypeScript client': [],
  Python: ['python3'],
  PHP: ['php'],
  Ruby: ['ruby'],
  Go: ['go'],
  'C#': ['mcs', 'mono'],
  Java: ['java'],
};
/** `npm test` runs these where they are installed. */
const inEveryRun: Title[] = ['curl', 'JavaScript', 'TypeScript client', 'Python'];

export const isInstalled = (program: string) =>
  (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, program)));

/** The quickstarts that this run executes, and those whose language is not installed. */
export function quickstartsToRun(isFull: boolean) {
  const wanted = quickstarts.filter(({ title }) => isFull || inEveryRun.includes(title));
  const canRun = ({ title }: { title: Title }) => programs[title].every(isInstalled);
  return { run: wanted.filter(canRun), missing: wanted.filter((one) => !canRun(one)) };
}

const mono = ['System.Net.Http', 'System.Runtime.Serialization', 'System.Xml', 'System.Xml.Linq'];

/** Compiles what has to be compiled. @returns the program and its parameters */
export async function prepareQuickstart(title: Title, command: string, folder: string): Promise<string[]> {
  const [program = '', ...parameters] = command.split(' ');
  if (title === 'C#') {
    const file = parameters.at(-1) ?? '';
    await run('mcs', ['-out:quickstart.exe', ...mono.map((name) => `-r:${name}.dll`), file], { cwd: folder });
    return ['mono', 'quickstart.exe'];
  }
  return [program === 'node' ? process.execPath : program, ...parameters];
}

/** Redirects every request to another host. @returns the headers that the other host received, in `followed` */
export async function startRedirect() {
  const followed: IncomingHttpHeaders[] = [];
  const other = await startServer(({ headers }, response) => {
    followed.push(headers);
    response.end('{}');
  });
  const { url, close } = await startServer(({ url: path }, response) => {
    response.writeHead(302, { Location: other.url.replace('127.0.0.1', 'localhost') + path }).end();
  });
  const closeBoth = () => {
    close();
    other.close();
  };
  return { url, followed, close: closeBoth };
}
