import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { checkout } from '#tools/checkout.ts';

/** `operator request show ID`, beside the running service. */
export async function requestLogLines(requestId: string | undefined): Promise<Record<string, unknown>[]> {
  const operator = ['src/cli/main.ts', '--json', 'request', 'show', requestId ?? ''];
  const env = { ...process.env, DATA_DIR: process.env.E2E_DATA_DIR, LOG_FILE: '' };
  const { stdout } = await promisify(execFile)(process.execPath, operator, { cwd: checkout, env });
  return JSON.parse(stdout).lines;
}
