import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { quickstarts } from '#src/docs/quickstarts.ts';

const run = promisify(execFile);
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
