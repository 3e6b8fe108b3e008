import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { checkout } from './checkout.ts';
import { runningProcesses } from './testing/processes.ts';

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
    sendToGroup(groupId, signal);
    while (performance.now() < deadline) {
      if (!runningProcesses().some(({ group }) => group === groupId)) return;
      await pause(50);
    }
  }
}

function sendToGroup(groupId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-groupId, signal);
  } catch {
    // No process of the group is left.
  }
}

/** The numbers of passed and failed tests. */
export type Counts = { passed: number; failed: number };

type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: unknown[] }[];
};
type PlaywrightReport = {
  stats: { expected: number; unexpected: number; flaky: number };
  errors: unknown[];
};

/**
 * @param text Vitest's JSON report
 * @returns the counts; a file that can't be loaded is one failure
 */
export function vitestCounts(text: string): Counts {
  const report = JSON.parse(text) as VitestReport;
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length };
}

/**
 * @param text Playwright's JSON report
 * @returns the counts; a test that passed only on a retry counts as failed, and so does an error outside of tests
 */
export function playwrightCounts(text: string): Counts {
  const { stats, errors } = JSON.parse(text) as PlaywrightReport;
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky + errors.length };
}

/**
 * Counts a run that failed without a failed test, or ran no test, as failed.
 * @param exitCode of the runner
 * @param read the report, undefined if the runner wrote none
 */
export function runCounts(exitCode: number | null, read: Counts | undefined): Counts {
  const { passed, failed } = read ?? { passed: 0, failed: 0 };
  const isSilentFailure = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: isSilentFailure ? 1 : failed };
}
