import { execFileSync } from 'node:child_process';
import path from 'node:path';
import getPort from 'get-port';
import { type Program, startProgram, untilReady } from '#tools/testing/processes.ts';
import { temporaryFolder } from '#tools/testing/temporary-folder.ts';
import { startCommand } from './start-command.ts';

export type OwnService = Pick<Program, 'processId' | 'output' | 'stop'> & {
  url: string;
  sandboxPort: number;
  dataDir: string;
};

/**
 * Starts a service beside the one that all tests share, for a test that needs settings of its own.
 * @param env with `DATA_DIR` for a data folder that is kept; without it, the service gets a new one, removed by `stop`
 * @returns the service once it is ready
 */
export async function startOwnService(env: Record<string, string>): Promise<OwnService> {
  const [port, sandboxPort] = [await getPort(), await getPort()];
  const folder = env.DATA_DIR === undefined ? await temporaryFolder('e2e') : undefined;
  const dataDir = env.DATA_DIR ?? path.join(folder?.path ?? '', 'data');
  const ports = { PORT: `${port}`, SANDBOX_PORT: `${sandboxPort}` };
  const program = startProgram(startCommand, { ...process.env, ...env, ...ports, DATA_DIR: dataDir });
  const stop = async () => {
    const code = await program.stop();
    await folder?.remove();
    return code;
  };
  try {
    // The last line, printed when all of its processes serve; the port responds as soon as the first one does.
    await untilReady(program, () => program.output().includes('Ctrl-C stops everything.'));
  } catch (error) {
    await folder?.remove();
    throw error;
  }
  return { ...program, url: `http://127.0.0.1:${port}`, sandboxPort, dataDir, stop };
}

/** @returns the ids of the worker processes of a service that has several */
export function workersOf(processId: number): number[] {
  const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  return all
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === processId && args.join(' ').includes('worker.ts'))
    .map(([id]) => Number(id));
}
