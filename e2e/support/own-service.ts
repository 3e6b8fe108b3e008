import path from 'node:path';
import { sandboxControl as controlOf } from '#packages/stripe-sandbox/control-client.ts';
import { installationSecrets } from '#src/installation-secrets.ts';
import { unusedPort } from '#tools/testing/listen.ts';
import {
  childrenOf,
  type Program,
  startProgram,
  temporaryFolder,
  untilReady,
} from '#tools/testing/processes.ts';

/** Arguments of Node.js that start the service and record its responses. */
export const startCommand = [
  ...['--import', './src/fast-imports.mjs', '--import', './e2e/support/recorded-responses.ts'],
  'src/server/start.ts',
];

export type OwnService = Pick<Program, 'processId' | 'output' | 'exited' | 'stop'> & {
  url: string;
  sandboxPort: number;
  dataDir: string;
};

/**
 * Starts a service for a test that needs its own settings.
 * @param env with `DATA_DIR` to use an existing data folder; otherwise `stop` removes the folder
 * @returns the service when it is ready
 */
export async function startOwnService(env: Record<string, string>): Promise<OwnService> {
  const [port, sandboxPort] = [await unusedPort(), await unusedPort()];
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
    // The last line of its output. The port responds earlier, when the first of its processes is ready.
    await untilReady(program, () => program.output().includes('Ctrl-C stops everything.'));
  } catch (error) {
    await folder?.remove();
    throw error;
  }
  return { ...program, url: `http://127.0.0.1:${port}`, sandboxPort, dataDir, stop };
}

/** @returns the process IDs of a service's workers */
export function workersOf(processId: number): number[] {
  return [...childrenOf(processId)].flatMap(([id, command]) => (command.includes('worker.ts') ? id : []));
}

const sharedService = () => ({
  dataDir: process.env.E2E_DATA_DIR ?? '',
  sandboxPort: Number(process.env.E2E_SANDBOX_PORT),
});

/**
 * Calls the control API of a service's payment sandbox: `sandboxControl('POST payment_methods/pm_…/detach')`.
 * @param service the shared one by default
 */
export async function sandboxControl(
  action: string,
  body?: object,
  { dataDir, sandboxPort }: Pick<OwnService, 'dataDir' | 'sandboxPort'> = sharedService(),
): ReturnType<ReturnType<typeof controlOf>> {
  const { sandboxSecretKey } = await installationSecrets(dataDir);
  return controlOf(`http://127.0.0.1:${sandboxPort}`, sandboxSecretKey)(action, body);
}
