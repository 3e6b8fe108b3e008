import { expect, it } from 'vitest';
import { playwrightCounts, runCounts, runProgram, vitestCounts } from './runners.ts';
import { isRunning } from './testing/processes.ts';

/**
 * Starts a process that ignores SIGINT, and prints its ID. The program itself exits at once or when interrupted. The process
 * ends after a minute by itself, in case the test is interrupted.
 */
const leavesAProcess = (endsItself: boolean) => `
  const child = require('node:child_process').spawn(process.execPath, ['-e', \`
    process.on('SIGINT', () => {});
    setTimeout(() => {}, 60_000);
    console.log('ready');
  \`]);
  child.stdout.once('data', () => {
    console.log(child.pid);
    if (${endsItself}) process.exit(3);
    process.kill(process.ppid, 'SIGUSR2');
  });
  process.once('SIGINT', () => process.exit(130));
`;

it('runProgram: returns the exit code and stops processes that the program left behind', async () => {
  const { code, output } = await runProgram(['-e', leavesAProcess(true)], new AbortController().signal);
  expect(code).toBe(3);
  expect(isRunning(Number(output))).toBe(false);
});

it('runProgram: interrupts the program and everything it started', async () => {
  const stop = new AbortController();
  process.once('SIGUSR2', () => stop.abort());
  const { code, output } = await runProgram(['-e', leavesAProcess(false)], stop.signal);
  expect(code).toBe(130);
  expect(isRunning(Number(output))).toBe(false);
});

it('vitestCounts: counts tests, and a file that fails to load as a failure', () => {
  const testResults = [
    { status: 'passed', assertionResults: [{}, {}] },
    { status: 'failed', assertionResults: [{}] },
    { status: 'failed', assertionResults: [] },
  ];
  const report = JSON.stringify({ numPassedTests: 2, numFailedTests: 1, testResults });
  expect(vitestCounts(report)).toEqual({ passed: 2, failed: 2 });
});

it('playwrightCounts: counts tests and errors outside tests', () => {
  const report = JSON.stringify({
    stats: { expected: 5, unexpected: 1, flaky: 1, skipped: 3 },
    errors: [{}],
  });
  expect(playwrightCounts(report)).toEqual({ passed: 5, failed: 3 });
});

it.each([
  ['all passed', 0, { passed: 3, failed: 0 }, { passed: 3, failed: 0 }],
  ['some failed', 1, { passed: 3, failed: 2 }, { passed: 3, failed: 2 }],
  ['the runner failed without a failed test', 1, { passed: 3, failed: 0 }, { passed: 3, failed: 1 }],
  ['the runner was killed', null, { passed: 3, failed: 0 }, { passed: 3, failed: 1 }],
  ['no tests ran', 0, { passed: 0, failed: 0 }, { passed: 0, failed: 1 }],
  ['the report is missing', 1, undefined, { passed: 0, failed: 1 }],
])('tells a failure when %s', (_case, exitCode, read, expected) => {
  expect(runCounts(exitCode, read)).toEqual(expected);
});
