import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** The root folder of the repository. */
export const checkout = path.join(import.meta.dirname, '..');

/** @returns the path of an installed package's program, for Node.js to run */
export const programOf = (name: string) => path.join(checkout, 'node_modules', '.bin', name);

/** Runs tests, with their output on this process's. @returns the exit code */
export function runVitest(args: string[], env: Record<string, string>): number {
  const { status } = spawnSync(process.execPath, [programOf('vitest'), 'run', ...args], {
    cwd: checkout,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status ?? 1;
}
