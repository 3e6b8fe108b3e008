/** Programs and temporary folders of tests and benchmarks. */
import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { checkout } from '../checkout.ts';

export type Program = {
  processId: number;
  /** Everything printed so far. */
  output: () => string;
  /** The part of it on standard output. */
  standardOutput: () => string;
  kill: (signal: NodeJS.Signals) => void;
  /** The exit code; null if a signal ended it. */
  exited: Promise<number | null>;
  hasExited: () => boolean;
  /** Sends SIGTERM if it is running. @returns its exit code */
  stop: () => Promise<number | null>;
};

const readyTimeoutMs = 150_000;
const readyCheckIntervalMs = 20;

/** @param args of Node.js, with paths relative to `cwd` */
export function startProgram(
  args: string[],
  env: NodeJS.ProcessEnv = process.env,
  cwd: string = checkout,
  user: { uid?: number; gid?: number } = {},
): Program {
  return startExecutable(process.execPath, args, { env, cwd, ...user });
}

/** Like `startProgram`, for other programs. */
export function startExecutable(
  file: string,
  args: string[],
  options: Pick<SpawnOptions, 'env' | 'cwd' | 'uid' | 'gid' | 'detached'> = {},
): Program {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, standardOutput] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (standardOutput += chunk));
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null);
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  return {
    processId: child.pid ?? 0,
    output: () => output,
    standardOutput: () => standardOutput,
    kill: (signal) => child.kill(signal),
    exited,
    hasExited,
    stop: () => {
      if (!hasExited()) child.kill('SIGTERM');
      return exited;
    },
  };
}

/** @throws Error with the program's output if it exits or is not ready in time */
export async function untilReady(
  program: Program,
  isReady: () => boolean | Promise<boolean>,
): Promise<Program> {
  const deadline = performance.now() + readyTimeoutMs;
  while (!(await isReady())) {
    if (program.hasExited() || performance.now() > deadline) {
      await program.stop();
      throw new Error(`The program did not become ready:\n${program.output()}`);
    }
    await pause(readyCheckIntervalMs);
  }
  return program;
}

type ProcessState = { id: number; parent: number; group: number; command: string };

/**
 * @returns all processes that have not ended. One that has ended keeps its ID until its parent asks for its exit code, which
 *   the first process of a container may never do.
 */
export function runningProcesses(): ProcessState[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,args='], { encoding: 'utf8' });
  return lines
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => !state?.startsWith('Z'))
    .map(([id, parent, group, , ...args]) => ({
      id: Number(id),
      parent: Number(parent),
      group: Number(group),
      command: args.join(' '),
    }));
}

export const isRunning = (processId: number): boolean =>
  runningProcesses().some(({ id }) => id === processId);

/** @returns the process IDs of a process's children, by their commands */
export function childrenOf(processId: number): Map<number, string> {
  const children = runningProcesses().filter(({ parent }) => parent === processId);
  return new Map(children.map(({ id, command }) => [id, command]));
}

/** Ends a process and its children at once, without a shutdown. */
export function killWithChildren(processId: number): void {
  for (const id of [processId, ...childrenOf(processId).keys()]) {
    try {
      process.kill(id, 'SIGKILL');
    } catch (error) {
      // It has ended in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** @returns the path of a folder that stays in the system's temporary folder for the next run, of this checkout and user */
export function lastingFolder(name: string): string {
  const id = hash('sha256', checkout, 'hex').slice(0, 12);
  return path.join(tmpdir(), `scheduling-service-${name}-${process.getuid?.()}-${id}`);
}

export type TemporaryFolder = { path: string; remove: () => Promise<void> };

/** @returns a new folder that may hold the data of an embedded PostgreSQL */
export async function temporaryFolder(name: string): Promise<TemporaryFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), `scheduling-service-${name}-`));
  // If root runs the tests, PostgreSQL runs as another user, which must be able to enter the folder.
  await chmod(folder, 0o711);
  // A log opens its file again, each second, when it is gone.
  return { path: folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }) };
}
