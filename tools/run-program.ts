import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { checkout } from './checkout.ts';

export type Run = { code: number | null; output: string };

const stopTimeoutMs = 30_000;

/**
 * Runs a Node.js program in the checkout, in its own process group, so that Ctrl-C reaches it only once, through
 * `signal`. Playwright exits without stopping its servers when it receives SIGTERM or a second SIGINT.
 * @param signal sends SIGINT to the group
 * @returns when no process of the group is left
 */
export async function runProgram(args: string[], signal: AbortSignal): Promise<Run> {
  const child = spawn(process.execPath, args, {
    cwd: checkout,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const groupId = child.pid;
  const interrupt = () => groupId && sendToGroup(groupId, 'SIGINT');
  signal.addEventListener('abort', interrupt, { once: true });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('exit', resolve),
  );
  signal.removeEventListener('abort', interrupt);
  if (groupId) await stopGroup(groupId);
  await closed;
  return { code, output };
}

/** Stops processes that the program left running. */
async function stopGroup(groupId: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const deadline = performance.now() + stopTimeoutMs;
    if (!sendToGroup(groupId, signal)) return;
    while (performance.now() < deadline) {
      if (!sendToGroup(groupId, 0)) return;
      await pause(50);
    }
  }
}

/** @returns whether the group still has a process */
function sendToGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-groupId, signal);
  } catch {
    return false;
  }
}
