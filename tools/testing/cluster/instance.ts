/** An instance of the service: several processes on one port, with a proxy to the database on "its machine". */
import { childrenOf, killWithChildren, type Program, startProgram, untilReady } from '../processes.ts';

export type Instance = {
  name: string;
  port: number;
  url: string;
  program: () => Program;
  /** @param folder of the release; the one of before by default */
  start: (changes?: Partial<Start>) => Promise<void>;
  /** Ends it with SIGTERM, if it is running. @returns the exit code */
  stop: () => Promise<number | null>;
  /** Ends all of its processes at once, as a machine that is gone. */
  kill: () => Promise<void>;
  workers: () => number[];
};

type Start = { folder: string; env: Record<string, string> };

export function createInstance(name: string, port: number, first: Start): Instance {
  let current = first;
  let program: Program | undefined;
  const running = () => {
    if (!program) throw new Error(`Instance ${name} was not started.`);
    return program;
  };
  const workers = () => [...childrenOf(running().processId).keys()];
  return {
    name,
    port,
    url: `http://127.0.0.1:${port}`,
    program: running,
    start: async (changes = {}) => {
      current = { folder: changes.folder ?? current.folder, env: { ...current.env, ...changes.env } };
      const { PATH = '', HOME = '' } = process.env;
      const env = { PATH, HOME, PORT: String(port), ...current.env };
      program = startProgram(
        ['src/server/start.ts', '--built'],
        env as unknown as NodeJS.ProcessEnv,
        current.folder,
      );
      await untilReady(program, () => running().output().includes('Ctrl-C stops everything.'));
    },
    stop: async () => (program ? await program.stop() : null),
    kill: async () => {
      killWithChildren(running().processId);
      await running().exited;
    },
    workers,
  };
}

/** Runs a program of a release to its end. @throws Error with its output if it fails */
export async function runToEnd(
  args: string[],
  folder: string,
  env: Record<string, string> = {},
): Promise<void> {
  const program = startProgram(args, { ...process.env, ...env }, folder);
  if ((await program.exited) !== 0) throw new Error(`${args.join(' ')} failed:\n${program.output()}`);
}
