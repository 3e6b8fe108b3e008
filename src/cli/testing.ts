import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, vi } from 'vitest';
import type { TestDatabase } from '#tools/testing/database.ts';
import { runOperator } from './program.ts';

type Run = { code: number; stdout: string; stderr: string };
/** The program that starts Node.js, and arguments of Node.js itself. */
type StartOptions = { through?: string[]; node?: string[]; stdio?: StdioOptions };
export type Operator = {
  /** A folder of the test's own, where file names are taken from. */
  folder: string;
  /** Writes one there. @returns its name */
  file: (name: string, content: unknown) => string;
  /** Runs a command in the process of the test, after those that it has started. The first argument is split at spaces. */
  run: (...args: string[]) => Promise<Run>;
  /** Runs it in a process of its own, which takes half a second more. */
  runProcess: (...args: string[]) => Promise<Run>;
  /** Only starts it. */
  start: (args: string[], options?: StartOptions) => ChildProcess;
  /** Runs with `--json` and reads the one document. */
  json: <Document>(...args: string[]) => Promise<{ code: number; document: Document }>;
};

/** An outline that is not closed, as some tools leave it. */
export const ring = [
  [-122.2, 37.2],
  [-121.2, 37.2],
  [-121.2, 37.9],
];
export const polygon = (...rings: unknown[]) => ({ type: 'Polygon', coordinates: rings });
/** A city to import. */
export const feature = (geometry: unknown, more: object = {}) => ({
  type: 'Feature',
  geometry,
  properties: {
    name: 'San José',
    county_name: 'Santa Clara County',
    timezone: 'America/Los_Angeles',
    base_price: 6.5,
    delivery_prices: '{"items":[{"mile":13,"amount":12},{"mile":2,"amount":0}]}',
    ...more,
  },
});

/** The arguments of the command that creates a customer of that city. */
export const person = (username: string, ...more: string[]) => [
  `customer create --username ${username} --email ${username}@example.com --first-name Ada --last-name Lee
    --country-code 1 --phone 555-0142 --city san-jose --name`,
  'Acme Bakery',
  ...more,
];

const main = path.join(import.meta.dirname, 'main.ts');

/** The operator's commands on a test's database. */
export function operatorOn(
  { operatorUrl }: Pick<TestDatabase, 'operatorUrl'>,
  settings: Record<string, string> = {},
): Operator {
  const folder = mkdtempSync(path.join(tmpdir(), 'operator-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: process.env.NODE_ENV,
    HOME: folder,
    INIT_CWD: folder,
    DATABASE_OPERATOR_URL: operatorUrl,
    ...settings,
  };
  const file = (name: string, content: unknown) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(path.join(folder, name), text);
    return name;
  };
  const run = (...args: string[]) => {
    const result = previous.then(() => runHere(splitFirst(args), env));
    previous = result.catch(() => {});
    return result;
  };
  const runProcess = (...args: string[]) =>
    new Promise<Run>((resolve) => {
      const options = { env, maxBuffer: 64 * 1024 * 1024 };
      execFile(process.execPath, [main, ...splitFirst(args)], options, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
      });
    });
  const start: Operator['start'] = (args, { through = [], node = [], stdio = 'pipe' } = {}) => {
    const [program = '', ...rest] = [...through, process.execPath, ...node, main, ...splitFirst(args)];
    return spawn(program, rest, { env, stdio });
  };
  const json = async <Document>(...args: string[]) => {
    const { code, stdout } = await run(...args, '--json');
    return { code, document: JSON.parse(stdout) as Document };
  };
  return { folder, file, run, runProcess, start, json };
}

const splitFirst = ([first = '', ...more]: string[]) => [...(first.match(/\S+/g) ?? []), ...more];

/** A command owns the arguments, the environment, and the output of the process while it runs. */
let previous: Promise<unknown> = Promise.resolve();

async function runHere(args: string[], env: NodeJS.ProcessEnv): Promise<Run> {
  const written = { stdout: '', stderr: '' };
  const { argv, env: testEnv } = process;
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      // Not of the command: the service of an earlier test file says that its folder is gone.
      if (!String(text).startsWith('The log cannot be written')) written[name] += text;
      return true;
    }),
  );
  try {
    process.argv = [process.execPath, main, ...args];
    process.env = { ...env };
    await runOperator();
    return { code: Number(process.exitCode ?? 0), ...written };
  } finally {
    process.argv = argv;
    process.env = testEnv;
    process.exitCode = undefined;
    for (const spy of spies) spy.mockRestore();
  }
}
