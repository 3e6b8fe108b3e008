import { execFileSync } from 'node:child_process';

export function childrenOf(processId: number): number[] {
  const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return all
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === processId)
    .map(([id = 0]) => id);
}

/** Ends a process and its children at once, without a shutdown. */
export function killWithChildren(processId: number): void {
  for (const id of [processId, ...childrenOf(processId)]) {
    try {
      process.kill(id, 'SIGKILL');
    } catch (error) {
      // It has ended in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
