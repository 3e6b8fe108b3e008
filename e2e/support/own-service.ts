import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect } from '@playwright/test';
import { startCommand } from './start-command.ts';

const checkout = path.join(import.meta.dirname, '..', '..');

export type OwnService = {
  url: string;
  sandboxPort: number;
  processId: number;
  /** What it has printed. */
  output: () => string;
  /** Asks it to stop. @returns the code that it ends with, null where a signal ended it */
  stop: () => Promise<number | null>;
};

/**
 * A service beside the one that all tests share, for settings of a test's own.
 * @returns it once it is ready
 */
export async function startOwnService(env: Record<string, string>): Promise<OwnService> {
  const [port, sandboxPort] = [await freePort(), await freePort()];
  let output = '';
  const child = spawn(process.execPath, startCommand, {
    cwd: checkout,
    env: { ...process.env, ...env, PORT: `${port}`, SANDBOX_PORT: `${sandboxPort}` },
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const [code] = await ended;
    return code;
  };
  try {
    // Said when every one of its processes serves, where the first that does already answers.
    await expect.poll(() => output, { timeout: 60_000 }).toContain('Ctrl-C stops everything.');
    expect((await fetch(`${url}/api/health/ready`)).status).toBe(200);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, sandboxPort, processId: child.pid ?? 0, output: () => output, stop };
}

/** @returns the processes that serve for a service with several, by their ids */
export function workersOf(processId: number): number[] {
  const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  return all
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === processId && args.join(' ').includes('worker.ts'))
    .map(([id]) => Number(id));
}

export async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  listener.close();
  await once(listener, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
